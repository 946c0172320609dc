package org.tributary.wire.shm;

/**
 * A word of shared memory, which every process of the node can write, holds what it cannot hold: some process has
 * stored there by mistake. The message names the file, the field and what was found; the job cannot go on.
 */
public final class DamagedMemoryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Something that cannot be.
     *
     * @param where the place and its file, as {@code ring 3 of /dev/shm/…/rings}
     * @param found what is there, and what could be
     */
    public DamagedMemoryException(String where, String found) {
        super(where + " is damaged: " + found + "; a process of the node has stored where it must not: look for stores"
            + " out of bounds in the programs of its ranks");
    }
}

package org.tributary.client.error;

/**
 * A node has not enough shared memory for an allocation. Every rank that took part gets this exception, no rank has
 * memory of the allocation, and the job can go on.
 */
public final class OutOfSharedMemoryException extends GasException {
    private static final long serialVersionUID = 1L;

    private final int node;
    private final long needInBytes;
    private final long freeInBytes;
    private final String mount;

    /** The need, the free space, the mount and the node. */
    public OutOfSharedMemoryException(int node, long needInBytes, long freeInBytes, String mount) {
        super("no room for an allocation on node " + node + ": it needs " + needInBytes + " bytes, " + mount + " has "
            + freeInBytes + " free; free some, enlarge the mount or use more nodes");
        this.node = node;
        this.needInBytes = needInBytes;
        this.freeInBytes = freeInBytes;
        this.mount = mount;
    }

    /** Node that has not enough. */
    public int node() {
        return node;
    }

    /** Bytes that the node's part of the allocation needs. */
    public long needInBytes() {
        return needInBytes;
    }

    /** Mount that is too small and its type, such as {@code /dev/shm (tmpfs)}. */
    public String mount() {
        return mount;
    }

    /** Bytes that {@link #mount} had left when the node tried. */
    public long freeInBytes() {
        return freeInBytes;
    }
}

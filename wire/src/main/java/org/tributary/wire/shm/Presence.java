package org.tributary.wire.shm;

import java.io.IOException;
import java.nio.file.Path;

/**
 * The living processes of a node: the server and each rank hold a lock of the kernel on a byte of the control file that
 * is theirs alone, for as long as their process lives. The kernel releases it when the process ends, however it does,
 * also when nobody has asked for its exit code yet; it keeps it while the process is stopped. So unlike a process
 * number it says the same in every container that shares the file, and never means somebody else later.
 *
 * <p>Locks of open file descriptions (fcntl(2), {@code F_OFD_SETLK}), so that several servers and ranks in one process
 * are told apart, and that opening and closing the file elsewhere in the process changes nothing. The byte's number is
 * the token in {@link AccumulateLocks}; beyond the end of the file for the server, which costs nothing. Thread-safe.
 */
public final class Presence implements AutoCloseable {
    private final int token;
    private final int tokens;
    private int descriptor;

    private Presence(int descriptor, int token, int tokens) {
        this.descriptor = descriptor;
        this.token = token;
        this.tokens = tokens;
    }

    /**
     * Is present from now on.
     *
     * @param file   the control file
     * @param token  {@link ControlFile#SERVER_TOKEN}, or a rank's index on the node + 1
     * @param ranks  of the node
     * @throws IOException when the place is taken by a process that lives, or the system has no such locks
     */
    public static Presence take(Path file, int token, int ranks) throws IOException {
        int descriptor = SystemCalls.open(file);
        if (descriptor < 0) {
            throw new IOException("cannot open " + file + ": errno " + -descriptor);
        }
        int error = SystemCalls.lockByte(descriptor, token);
        if (error != 0) {
            SystemCalls.close(descriptor);
            throw new IOException(error == SystemCalls.EAGAIN || error == SystemCalls.EACCES
                ? "a process that lives has place " + token + " of " + file + ": a rank cannot attach twice"
                : "cannot lock byte " + token + " of " + file + ": errno " + error
                    + "; the file system and the kernel must have locks of open file descriptions (Linux 3.15)");
        }
        return new Presence(descriptor, token, ranks);
    }

    /** The processes that are present, for one that takes no part: first the server, then each rank of the node. */
    static boolean[] look(OpenFile control, int ranks) {
        boolean[] present = new boolean[ranks + 1];
        for (int i = 0; i <= ranks; i++) {
            present[i] = control.isLocked(i == 0 ? ControlFile.SERVER_TOKEN : i);
        }
        return present;
    }

    /** Whether the process behind a token lives; false for a number that is no token, true for this process's own. */
    public synchronized boolean isAlive(int other) {
        if (other == token) {
            return true;
        }
        boolean isToken = other == ControlFile.SERVER_TOKEN || other >= 1 && other <= tokens;
        return isToken && (descriptor < 0 || SystemCalls.isByteLocked(descriptor, other));
    }

    /** Is gone, as far as others can tell. */
    @Override
    public synchronized void close() {
        if (descriptor >= 0) {
            SystemCalls.close(descriptor);
            descriptor = -1;
        }
    }
}

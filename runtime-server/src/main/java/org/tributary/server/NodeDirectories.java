package org.tributary.server;

import java.io.IOException;
import java.nio.file.Path;
import org.tributary.wire.shm.LockedDirectory;
import org.tributary.wire.shm.NodeDirectory;

/** Making, removing and sweeping the directories of nodes in shared memory. Stateless and thread-safe. */
public final class NodeDirectories {
    private NodeDirectories() {
    }

    /** Makes the directory, mode 0700, and locks it until it is closed. */
    static LockedDirectory create(NodeDirectory directory) throws IOException {
        return LockedDirectory.create(directory.path());
    }

    /** Removes what dead servers of this user have left. */
    public static LockedDirectory.Swept sweep(Path shmDirectory) {
        return LockedDirectory.sweep(shmDirectory, NodeDirectory.NAME);
    }

    /** Removes a directory and what is in it. */
    public static void remove(Path directory) throws IOException {
        LockedDirectory.remove(directory);
    }
}

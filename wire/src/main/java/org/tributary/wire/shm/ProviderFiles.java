package org.tributary.wire.shm;

import java.io.File;

/** Files that libfabric's provider shm makes in shared memory, {@code PID:…}. Stateless and thread-safe. */
public final class ProviderFiles {
    private static final File FOLDER = new File("/dev/shm");

    private ProviderFiles() {
    }

    /** Removes those of a process that ends, or has ended, without closing its endpoints. */
    public static void remove(long pid) {
        File[] files = FOLDER.listFiles((folder, name) -> name.startsWith(pid + ":"));
        for (File file : files == null ? new File[0] : files) {
            boolean unused = file.delete(); // another process of the user may have done it
        }
    }
}

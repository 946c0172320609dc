package org.tributary.client.bootstrap;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * A file in memory, of mode 0600, which other processes of this user find by its path while this process lives. A
 * process's environment, and so a secret in it, is shown by ps; a file on a disk would be left behind.
 */
final class MemoryFile implements AutoCloseable {
    private final int descriptor;
    private boolean closed;

    MemoryFile(String name) throws IOException {
        descriptor = NativeCalls.memoryFile(name);
        Files.setPosixFilePermissions(path(), PosixFilePermissions.fromString("rw-------"));
    }

    Path path() {
        return Path.of("/proc", Long.toString(ProcessHandle.current().pid()), "fd", Integer.toString(descriptor));
    }

    void write(String text) throws IOException {
        Files.writeString(path(), text);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            NativeCalls.close(descriptor);
        }
    }
}

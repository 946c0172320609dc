package org.tributary.launcher.status;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import org.tributary.config.ProcessFiles;

/**
 * The socket on which a JVM tells its stacks, {@code /tmp/.java_pid4711}, wherever the directory for temporary files
 * is. The JVM makes it when it is first asked, and removes it at its end, but not when it is killed.
 */
public final class AttachSocket {
    private static final Path FOLDER = Path.of("/tmp");

    private AttachSocket() {
    }

    /** Removes what a process of this user that has ended has left. */
    public static void removeOf(long pid) {
        removeOf(pid, FOLDER);
    }

    static void removeOf(long pid, Path folder) {
        Path socket = folder.resolve(".java_pid" + pid);
        try {
            PosixFileAttributes found = Files.readAttributes(socket, PosixFileAttributes.class,
                LinkOption.NOFOLLOW_LINKS);
            // Another process may have that number by now; it had none when the socket was found.
            if (found.isOther() && !ProcessFiles.of(pid).runs() && isOwn(found)) {
                Files.deleteIfExists(socket);
            }
        } catch (IOException e) {
            // There is none, as nearly always.
        }
    }

    private static boolean isOwn(PosixFileAttributes file) throws IOException {
        return file.owner().equals(Files.getOwner(Path.of("/proc/self")));
    }
}

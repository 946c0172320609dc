package org.tributary.launcher.job;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.tributary.wire.libc.CFunction;

/** Whether somebody sits at a stream of this process. */
public final class Terminal {
    private static final Path NOTHING = Path.of("/dev/null");

    private Terminal() {
    }

    /** Whether a descriptor is open on a terminal. */
    public static boolean is(int descriptor) {
        if (!isDevice(Path.of("/proc/self/fd/" + descriptor))) {
            return false;
        }
        return CFunction.of("isatty").call(descriptor) == 1;
    }

    /** Asked first, for calling C takes longer. Names of pipes and sockets are not absolute. */
    private static boolean isDevice(Path descriptor) {
        try {
            Path file = Files.readSymbolicLink(descriptor);
            return file.isAbsolute() && !file.equals(NOTHING)
                && Files.readAttributes(descriptor, BasicFileAttributes.class).isOther();
        } catch (IOException e) {
            return false;
        }
    }
}

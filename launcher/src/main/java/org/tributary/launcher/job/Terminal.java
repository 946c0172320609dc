package org.tributary.launcher.job;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.tributary.wire.libc.CFunction;

/** Whether somebody sits at a stream of this process, or reads it. */
public final class Terminal {
    private static final Path NOTHING = Path.of("/dev/null");
    /** POLLERR, POLLHUP and POLLNVAL of poll.h, which it tells without being asked for them. */
    private static final int GONE = 0x38;
    /** Of struct pollfd, which begins with the descriptor. */
    private static final int POLLFD_BYTES = 8;
    private static final int REVENTS_AT = 6;

    private Terminal() {
    }

    /** Whether a descriptor is open on a terminal. */
    public static boolean is(int descriptor) {
        if (!isDevice(Path.of("/proc/self/fd/" + descriptor))) {
            return false;
        }
        return CFunction.of("isatty").call(descriptor) == 1;
    }

    /** Whether a pipe or socket has no reader any more, or a terminal has hung up: never so of a file. */
    static boolean hasGone(int descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment polled = arena.allocate(POLLFD_BYTES, Integer.BYTES);
            polled.set(ValueLayout.JAVA_INT, 0, descriptor);
            int found = CFunction.of("poll").call(CFunction.address(polled), 1, 0);
            return found > 0 && (polled.get(ValueLayout.JAVA_SHORT, REVENTS_AT) & GONE) != 0;
        }
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

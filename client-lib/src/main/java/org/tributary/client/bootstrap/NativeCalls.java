package org.tributary.client.bootstrap;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tributary.wire.libc.CFunction;

/** System calls that Java lacks: for inherited descriptors, and files in memory. Stateless and thread-safe. */
final class NativeCalls {
    private static final int EINTR = 4;
    private static final int MFD_CLOEXEC = 1;
    private static final short POLLIN = 1;
    /** {@code struct pollfd}: descriptor (int32), events, returned events (int16). */
    private static final long POLLFD_BYTES = 8;
    private static final long POLLFD_EVENTS = 4;
    private static final CFunction READ = CFunction.of("read");
    private static final CFunction WRITE = CFunction.of("write");
    private static final CFunction POLL = CFunction.of("poll");
    private static final CFunction MEMFD_CREATE = CFunction.of("memfd_create");
    private static final CFunction CLOSE = CFunction.of("close");

    private NativeCalls() {
    }

    /** A new file in memory; its descriptor. */
    static int memoryFile(String name) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            return checked("memfd_create", MEMFD_CREATE.call(arena.allocateFrom(name).address(), MFD_CLOEXEC));
        }
    }

    static void close(int descriptor) {
        CLOSE.call(descriptor);
    }

    /** Whether there is something to read within the time, the end included. */
    static boolean await(int descriptor, int timeoutMs) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment poll = arena.allocate(POLLFD_BYTES, Integer.BYTES);
            poll.set(ValueLayout.JAVA_INT, 0, descriptor);
            poll.set(ValueLayout.JAVA_SHORT, POLLFD_EVENTS, POLLIN);
            int ready = POLL.call(poll.address(), 1, timeoutMs);
            return ready != -EINTR && checked("poll", ready) > 0;
        }
    }

    /** Reads what is there; 0 at the end. */
    static int read(int descriptor, byte[] into) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(into.length);
            int got = checked("read", READ.call(descriptor, buffer.address(), into.length));
            MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, 0, into, 0, got);
            return got;
        }
    }

    static void write(int descriptor, byte[] bytes) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(bytes.length);
            MemorySegment.copy(bytes, 0, buffer, ValueLayout.JAVA_BYTE, 0, bytes.length);
            for (int done = 0; done < bytes.length;) {
                done += checked("write", WRITE.call(descriptor, buffer.address() + done, bytes.length - done));
            }
        }
    }

    private static int checked(String call, int result) throws IOException {
        if (result < 0) {
            throw new IOException(call + ": errno " + -result);
        }
        return result;
    }
}

package org.tributary.wire.socket;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import org.tributary.wire.libc.CFunction;

/** setsockopt(2) and getsockopt(2). Stateless and thread-safe. */
public final class SocketOptions {
    public static final int IPPROTO_TCP = 6;

    private static final CFunction SET = CFunction.of("setsockopt");
    private static final CFunction GET = CFunction.of("getsockopt");

    private SocketOptions() {
    }

    /** Sets an option to a block of bytes; returns 0 or an errno. */
    public static int set(int descriptor, int level, int name, MemorySegment value) {
        try {
            return -SET.call(descriptor, level, name, CFunction.address(value), value.byteSize());
        } finally {
            Reference.reachabilityFence(value);
        }
    }

    /** Sets an option to an int; returns 0 or an errno. */
    public static int set(int descriptor, int level, int name, int value) {
        try (Arena arena = Arena.ofConfined()) {
            return set(descriptor, level, name, arena.allocateFrom(ValueLayout.JAVA_INT, value));
        }
    }

    /** Reads an option into {@code value}; {@code length} holds its size before and after. False on failure. */
    public static boolean get(int descriptor, int level, int name, MemorySegment value, MemorySegment length) {
        try {
            return GET.call(descriptor, level, name, CFunction.address(value), CFunction.address(length)) == 0;
        } finally {
            Reference.reachabilityFence(value);
            Reference.reachabilityFence(length);
        }
    }

    /** Reads an int. */
    static int get(int descriptor, int level, int name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(ValueLayout.JAVA_INT);
            if (!get(descriptor, level, name, value, arena.allocateFrom(ValueLayout.JAVA_INT, Integer.BYTES))) {
                throw new IllegalStateException("no option " + name + " of level " + level);
            }
            return value.get(ValueLayout.JAVA_INT, 0);
        }
    }
}

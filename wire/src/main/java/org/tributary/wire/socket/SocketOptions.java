package org.tributary.wire.socket;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** setsockopt(2) and getsockopt(2). Stateless and thread-safe. */
@SuppressWarnings("restricted") // binding C functions is what this class is for; started with native access enabled
public final class SocketOptions {
    public static final int IPPROTO_TCP = 6;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MemoryLayout ERRNO_LAYOUT = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = ERRNO_LAYOUT.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle SET = LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow("setsockopt"),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT,
            ValueLayout.ADDRESS, ValueLayout.JAVA_INT), Linker.Option.captureCallState("errno"));
    private static final MethodHandle GET = LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow("getsockopt"),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT,
            ValueLayout.ADDRESS, ValueLayout.ADDRESS));

    private SocketOptions() {
    }

    /** Sets an option to a block of bytes; returns 0 or an errno. */
    public static int set(int descriptor, int level, int name, MemorySegment value) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(ERRNO_LAYOUT);
            int result = (int) SET.invokeExact(state, descriptor, level, name, value, (int) value.byteSize());
            return result == 0 ? 0 : (int) ERRNO.get(state, 0L);
        } catch (Throwable t) {
            throw new IllegalStateException("setsockopt", t);
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
            return (int) GET.invokeExact(descriptor, level, name, value, length) == 0;
        } catch (Throwable t) {
            throw new IllegalStateException("getsockopt", t);
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

package org.tributary.wire.libc;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/**
 * A C function of at most six integers and pointers. The JVM makes code for each shape of a function (25 ms of
 * processor time each, when a process starts), so all have one: six 64-bit integers. On Linux, x86-64 and aarch64, each
 * of them travels in a register of its own, a function looks only at the registers and bits that it has asked for, and
 * a variable number of arguments looks no different (System V ABI, 3.2.3 and 3.5.7; AAPCS64, 6.8.2).
 *
 * <p>Memory whose address is an argument has to be there until the call returns: see {@link
 * java.lang.ref.Reference#reachabilityFence}. Stateless and thread-safe.
 */
@SuppressWarnings("restricted") // calling C functions is what this class is for; started with native access enabled
public record CFunction(MemorySegment address) {
    /** As many integers as travel in registers on both processors. */
    public static final int MOST_ARGUMENTS = 6;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final SymbolLookup LIBC = LINKER.defaultLookup();
    private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
    /** All that the state has on Linux. Asking the layout for its place takes 30 ms, too. */
    private static final long ERRNO_AT = 0;
    private static final MethodHandle CALL = LINKER.downcallHandle(FunctionDescriptor.of(ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG),
        Linker.Option.firstVariadicArg(1), Linker.Option.captureCallState("errno"));

    /** Of the C library. */
    public static CFunction of(String name) {
        return new CFunction(LIBC.findOrThrow(name));
    }

    /**
     * The address of memory that C is to use.
     *
     * @throws IllegalArgumentException when it is on the heap, which moves
     * @throws IllegalStateException    when it has been freed
     */
    public static long address(MemorySegment memory) {
        if (!memory.isNative()) {
            throw new IllegalArgumentException("C cannot use memory on the heap");
        }
        if (!memory.scope().isAlive()) {
            throw new IllegalStateException("Already closed");
        }
        return memory.address();
    }

    /** How much memory {@link #call} needs for errno. */
    public static long errnoBytes() {
        return STATE.byteSize();
    }

    /** What the last call with this memory left there. */
    public static int errno(MemorySegment state) {
        return state.get(ValueLayout.JAVA_INT, ERRNO_AT);
    }

    /**
     * Calls it. Arguments that it does not have are ignored.
     *
     * @param state of {@link #errnoBytes()}, 4-byte aligned
     * @return 64 bits, of which it has set as many as its result has
     */
    public long call(MemorySegment state, long first, long second, long third, long fourth, long fifth, long sixth) {
        try {
            return (long) CALL.invokeExact(address, state, first, second, third, fourth, fifth, sixth);
        } catch (Throwable t) {
            throw new IllegalStateException("a C function", t);
        }
    }

    /** For functions that tell of an error by errno: an {@code int} that is not negative, or the negated errno. */
    public int call(long... arguments) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            int result = (int) call(state, arguments);
            return result >= 0 ? result : -errno(state);
        }
    }

    /** For functions that do not: their {@code int}. */
    public int plainCall(long... arguments) {
        try (Arena arena = Arena.ofConfined()) {
            return (int) call(arena.allocate(STATE), arguments);
        }
    }

    private long call(MemorySegment state, long[] arguments) {
        if (arguments.length > MOST_ARGUMENTS) {
            throw new IllegalArgumentException("a C function takes up to " + MOST_ARGUMENTS + " arguments here, not "
                + arguments.length);
        }
        long[] six = Arrays.copyOf(arguments, MOST_ARGUMENTS);
        return call(state, six[0], six[1], six[2], six[3], six[4], six[5]);
    }
}

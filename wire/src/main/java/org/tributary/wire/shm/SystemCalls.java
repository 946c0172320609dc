package org.tributary.wire.shm;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/** The few calls of Linux that Java has no API for. Stateless and thread-safe. */
@SuppressWarnings("restricted") // binding C functions is what this class is for; started with native access enabled
final class SystemCalls {
    static final int EINTR = 4;
    static final int EAGAIN = 11;
    static final int EACCES = 13;
    static final int ENOSPC = 28;
    static final int ETIMEDOUT = 110;
    static final int ECANCELED = 125;
    private static final long RESERVED_AT_ONCE = 256L << 20;

    private static final int PROT_NONE = 0;
    /** MAP_PRIVATE, MAP_FIXED, MAP_ANONYMOUS, MAP_NORESERVE. */
    private static final int MAP_NOTHING = 0x2 | 0x10 | 0x20 | 0x4000;
    private static final int O_RDWR = 2;
    private static final int O_CLOEXEC = 0x80000;
    private static final int F_OFD_GETLK = 36;
    private static final int F_OFD_SETLK = 37;
    private static final short F_WRLCK = 1;
    private static final short F_UNLCK = 2;
    /** {@code struct flock} of 64-bit Linux: type, whence (int16), start, length (int64), pid (int32). */
    private static final long FLOCK_BYTES = 32;
    private static final long FLOCK_START = 8;
    private static final long FLOCK_LENGTH = 16;
    private static final long FUTEX = switch (System.getProperty("os.arch")) {
        case "amd64", "x86_64" -> 202;
        case "aarch64" -> 98;
        default -> throw new UnsupportedOperationException("Tributary runs on x86-64 and aarch64 Linux, not on "
            + System.getProperty("os.arch"));
    };
    private static final Linker LINKER = Linker.nativeLinker();
    private static final MemoryLayout ERRNO_LAYOUT = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO =
        ERRNO_LAYOUT.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle SYSCALL_FUTEX = LINKER.downcallHandle(symbol("syscall"),
        FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS, ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
        Linker.Option.firstVariadicArg(1), Linker.Option.captureCallState("errno"));
    private static final MethodHandle FALLOCATE = LINKER.downcallHandle(symbol("posix_fallocate"),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG));
    private static final MethodHandle OPEN = LINKER.downcallHandle(symbol("open"),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
        Linker.Option.firstVariadicArg(2), Linker.Option.captureCallState("errno"));
    private static final MethodHandle FCNTL = LINKER.downcallHandle(symbol("fcntl"),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS),
        Linker.Option.firstVariadicArg(2), Linker.Option.captureCallState("errno"));
    private static final MethodHandle CLOSE = LINKER.downcallHandle(symbol("close"),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    private static final MethodHandle MMAP = LINKER.downcallHandle(symbol("mmap"),
        FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));
    private static final MethodHandle SCHED_GETCPU = LINKER.downcallHandle(symbol("sched_getcpu"),
        FunctionDescriptor.of(ValueLayout.JAVA_INT));
    private static final MethodHandle SCHED_GETAFFINITY = LINKER.downcallHandle(symbol("sched_getaffinity"),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
    private static final MethodHandle SCHED_SETAFFINITY = LINKER.downcallHandle(symbol("sched_setaffinity"),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));

    private SystemCalls() {
    }

    private static MemorySegment symbol(String name) {
        return LINKER.defaultLookup().findOrThrow(name);
    }

    /** futex(2); returns 0 or more, or the negated errno. {@code state} has room for {@link #errnoBytes()}. */
    static int futex(MemorySegment word, int operation, int value, MemorySegment timeout, MemorySegment state) {
        try {
            long result = (long) SYSCALL_FUTEX.invokeExact(state, FUTEX, word, operation, value, timeout,
                MemorySegment.NULL, 0);
            return result >= 0 ? (int) result : -(int) ERRNO.get(state, 0L);
        } catch (Throwable t) {
            throw new IllegalStateException("futex", t);
        }
    }

    static long errnoBytes() {
        return ERRNO_LAYOUT.byteSize();
    }

    /** Opens a file for reading and writing; returns a descriptor or the negated errno. */
    static int open(Path file) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(ERRNO_LAYOUT);
            int descriptor =
                (int) OPEN.invokeExact(state, arena.allocateFrom(file.toString()), O_RDWR | O_CLOEXEC);
            return descriptor >= 0 ? descriptor : -(int) ERRNO.get(state, 0L);
        } catch (Throwable t) {
            throw new IllegalStateException("open " + file, t);
        }
    }

    static void close(int descriptor) {
        try {
            int unused = (int) CLOSE.invokeExact(descriptor);
        } catch (Throwable t) {
            throw new IllegalStateException("close", t);
        }
    }

    /** Reserves the first {@code length} bytes of a file, piece by piece until cancelled; returns 0 or an errno. */
    static int reserve(Path file, long length, BooleanSupplier isCancelled) {
        int descriptor = open(file);
        if (descriptor < 0) {
            return -descriptor;
        }
        try {
            int result = 0;
            long done = 0;
            while (done < length && result == 0) {
                long piece = Math.min(length - done, RESERVED_AT_ONCE);
                result = isCancelled.getAsBoolean() ? ECANCELED
                    : (int) FALLOCATE.invokeExact(descriptor, done, piece);
                if (result == EINTR) {
                    result = 0;
                } else {
                    done += piece;
                }
            }
            return result;
        } catch (Throwable t) {
            throw new IllegalStateException("posix_fallocate " + file, t);
        } finally {
            close(descriptor);
        }
    }

    /** Locks a byte of a file for this open file description alone; returns 0 or an errno. */
    static int lockByte(int descriptor, long at) {
        try (Arena arena = Arena.ofConfined()) {
            return fcntl(descriptor, F_OFD_SETLK, flock(arena, at), arena);
        }
    }

    /** Whether another open file description has locked a byte. */
    static boolean isByteLocked(int descriptor, long at) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment flock = flock(arena, at);
            int error = fcntl(descriptor, F_OFD_GETLK, flock, arena);
            if (error != 0) {
                throw new IllegalStateException("fcntl F_OFD_GETLK: errno " + error);
            }
            return flock.get(ValueLayout.JAVA_SHORT, 0) != F_UNLCK;
        }
    }

    private static MemorySegment flock(Arena arena, long at) {
        MemorySegment flock = arena.allocate(FLOCK_BYTES, Long.BYTES);
        flock.set(ValueLayout.JAVA_SHORT, 0, F_WRLCK);
        flock.set(ValueLayout.JAVA_LONG, FLOCK_START, at);
        flock.set(ValueLayout.JAVA_LONG, FLOCK_LENGTH, 1);
        return flock;
    }

    private static int fcntl(int descriptor, int command, MemorySegment flock, Arena arena) {
        try {
            MemorySegment state = arena.allocate(ERRNO_LAYOUT);
            int result;
            int error;
            do {
                result = (int) FCNTL.invokeExact(state, descriptor, command, flock);
                error = (int) ERRNO.get(state, 0L);
            } while (result < 0 && error == EINTR);
            return result < 0 ? error : 0;
        } catch (Throwable t) {
            throw new IllegalStateException("fcntl", t);
        }
    }

    /** Replaces what is mapped by addresses that nobody can access; false when the kernel refuses. */
    static boolean forbid(MemorySegment mapping) {
        try {
            return (long) MMAP.invokeExact(mapping, mapping.byteSize(), PROT_NONE, MAP_NOTHING, -1, 0L)
                == mapping.address();
        } catch (Throwable t) {
            throw new IllegalStateException("mmap", t);
        }
    }

    /** The core that the calling thread runs on, negative when that is not known. */
    static int currentCore() {
        try {
            return (int) SCHED_GETCPU.invokeExact();
        } catch (Throwable t) {
            throw new IllegalStateException("sched_getcpu", t);
        }
    }

    /** Fills the bit mask of the cores that the calling thread may run on; false when it does not fit. */
    static boolean affinity(MemorySegment mask) {
        try {
            return (int) SCHED_GETAFFINITY.invokeExact(0, mask.byteSize(), mask) >= 0;
        } catch (Throwable t) {
            throw new IllegalStateException("sched_getaffinity", t);
        }
    }

    /** Sets the cores that the calling thread may run on, and moves it there; false when there is none. */
    static boolean setAffinity(MemorySegment mask) {
        try {
            return (int) SCHED_SETAFFINITY.invokeExact(0, mask.byteSize(), mask) == 0;
        } catch (Throwable t) {
            throw new IllegalStateException("sched_setaffinity", t);
        }
    }
}

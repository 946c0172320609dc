package org.tributary.wire.shm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import org.tributary.wire.libc.CFunction;

/** The few calls of Linux that Java has no API for. Stateless and thread-safe. */
final class SystemCalls {
    static final int ENOENT = 2;
    static final int EINTR = 4;
    static final int EAGAIN = 11;
    static final int EACCES = 13;
    static final int ENOTDIR = 20;
    static final int ENFILE = 23;
    static final int EMFILE = 24;
    static final int ENOSPC = 28;
    static final int ETIMEDOUT = 110;
    static final int ECANCELED = 125;
    private static final long RESERVED_AT_ONCE = 256L << 20;

    private static final int PROT_NONE = 0;
    /** MAP_PRIVATE, MAP_FIXED, MAP_ANONYMOUS, MAP_NORESERVE. */
    private static final int MAP_NOTHING = 0x2 | 0x10 | 0x20 | 0x4000;
    private static final int O_RDONLY = 0;
    private static final int O_RDWR = 2;
    private static final int O_CLOEXEC = 0x80000;
    private static final int SEEK_END = 2;
    private static final int F_OFD_GETLK = 36;
    private static final int F_OFD_SETLK = 37;
    private static final short F_WRLCK = 1;
    private static final short F_UNLCK = 2;
    /** {@code struct flock} of 64-bit Linux: type, whence (int16), start, length (int64), pid (int32). */
    static final long FLOCK_BYTES = 32;
    private static final long FLOCK_START = 8;
    private static final long FLOCK_LENGTH = 16;
    private static final long FLOCK_PID = 24;
    private static final long FUTEX = switch (System.getProperty("os.arch")) {
        case "amd64", "x86_64" -> 202;
        case "aarch64" -> 98;
        default -> throw new UnsupportedOperationException("Tributary runs on x86-64 and aarch64 Linux, not on "
            + System.getProperty("os.arch"));
    };
    private static final CFunction SYSCALL = CFunction.of("syscall");
    private static final CFunction FALLOCATE = CFunction.of("posix_fallocate");
    private static final CFunction OPEN = CFunction.of("open");
    private static final CFunction PREAD = CFunction.of("pread");
    private static final CFunction LSEEK = CFunction.of("lseek");
    private static final CFunction FCNTL = CFunction.of("fcntl");
    private static final CFunction CLOSE = CFunction.of("close");
    private static final CFunction MMAP = CFunction.of("mmap");
    private static final CFunction SCHED_GETCPU = CFunction.of("sched_getcpu");
    private static final CFunction SCHED_GETAFFINITY = CFunction.of("sched_getaffinity");
    private static final CFunction SCHED_SETAFFINITY = CFunction.of("sched_setaffinity");

    private SystemCalls() {
    }

    /**
     * futex(2); returns 0 or more, or the negated errno. A word that another thread unmaps meanwhile is an error, or
     * a wait until the timeout.
     *
     * @param errno of {@link CFunction#errnoBytes()}
     */
    static int futex(MemorySegment word, int operation, int value, MemorySegment timeout, MemorySegment errno) {
        try {
            long result = SYSCALL.call(errno, FUTEX, CFunction.address(word), operation, value, timeout.address(), 0);
            return result >= 0 ? (int) result : -CFunction.errno(errno);
        } finally {
            Reference.reachabilityFence(word);
            Reference.reachabilityFence(timeout);
        }
    }

    /** Opens a file for reading and writing; returns a descriptor or the negated errno. */
    static int open(Path file) {
        try (Arena arena = Arena.ofConfined()) {
            return OPEN.call(arena.allocateFrom(file.toString()).address(), O_RDWR | O_CLOEXEC);
        }
    }

    static void close(int descriptor) {
        CLOSE.call(descriptor);
    }

    /** Opens a file for reading; {@code path} ends with a zero. Returns a descriptor or the negated errno. */
    static int openToRead(MemorySegment path, MemorySegment errno) {
        return result((int) OPEN.call(errno, path.address(), O_RDONLY | O_CLOEXEC, 0, 0, 0, 0), errno);
    }

    /** Reads so many bytes from a place in a file on; returns how many there were, or the negated errno. */
    static long read(int descriptor, MemorySegment to, int length, long at, MemorySegment errno) {
        return longResult(PREAD.call(errno, descriptor, to.address(), length, at, 0, 0), errno);
    }

    /** Bytes of a file, or the negated errno. */
    static long size(int descriptor, MemorySegment errno) {
        return longResult(LSEEK.call(errno, descriptor, 0, SEEK_END, 0, 0, 0), errno);
    }

    static void close(int descriptor, MemorySegment errno) {
        CLOSE.call(errno, descriptor, 0, 0, 0, 0, 0);
    }

    private static int result(int result, MemorySegment errno) {
        return result == -1 ? -CFunction.errno(errno) : result;
    }

    private static long longResult(long result, MemorySegment errno) {
        return result == -1 ? -CFunction.errno(errno) : result;
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
                result = isCancelled.getAsBoolean() ? ECANCELED : FALLOCATE.plainCall(descriptor, done, piece);
                if (result == EINTR) {
                    result = 0;
                } else {
                    done += piece;
                }
            }
            return result;
        } finally {
            close(descriptor);
        }
    }

    /** Locks a byte of a file for this open file description alone; returns 0 or an errno. */
    static int lockByte(int descriptor, long at) {
        try (Arena arena = Arena.ofConfined()) {
            return fcntl(descriptor, F_OFD_SETLK, at, arena.allocate(FLOCK_BYTES, Long.BYTES), errno(arena));
        }
    }

    /** Whether another open file description has locked a byte. */
    static boolean isByteLocked(int descriptor, long at) {
        try (Arena arena = Arena.ofConfined()) {
            return isByteLocked(descriptor, at, arena.allocate(FLOCK_BYTES, Long.BYTES), errno(arena));
        }
    }

    /** The same with memory for a {@code struct flock} that is there already. */
    static boolean isByteLocked(int descriptor, long at, MemorySegment flock, MemorySegment errno) {
        int error = fcntl(descriptor, F_OFD_GETLK, at, flock, errno);
        if (error != 0) {
            throw new IllegalStateException("fcntl F_OFD_GETLK: errno " + error);
        }
        return flock.get(ValueLayout.JAVA_SHORT, 0) != F_UNLCK;
    }

    private static MemorySegment errno(Arena arena) {
        return arena.allocate(CFunction.errnoBytes(), Integer.BYTES);
    }

    /** A command about a lock of one byte, whose description is written into that memory; returns 0 or an errno. */
    private static int fcntl(int descriptor, int command, long at, MemorySegment flock, MemorySegment errno) {
        flock.set(ValueLayout.JAVA_SHORT, 0, F_WRLCK);
        flock.set(ValueLayout.JAVA_SHORT, Short.BYTES, (short) 0); // from the beginning of the file
        flock.set(ValueLayout.JAVA_LONG, FLOCK_START, at);
        flock.set(ValueLayout.JAVA_LONG, FLOCK_LENGTH, 1);
        flock.set(ValueLayout.JAVA_INT, FLOCK_PID, 0); // answers change it
        int result;
        do {
            result = result((int) FCNTL.call(errno, descriptor, command, flock.address(), 0, 0, 0), errno);
        } while (result == -EINTR);
        return -result;
    }

    /** Replaces what is mapped by addresses that nobody can access; false when the kernel refuses. */
    static boolean forbid(MemorySegment mapping) {
        try (Arena arena = Arena.ofConfined()) {
            return MMAP.call(errno(arena), mapping.address(),
                mapping.byteSize(), PROT_NONE, MAP_NOTHING, -1, 0) == mapping.address();
        }
    }

    /** The core that the calling thread runs on, negative when that is not known. */
    static int currentCore() {
        return SCHED_GETCPU.call();
    }

    /** Fills the bit mask of the cores that the calling thread may run on; false when it does not fit. */
    static boolean affinity(MemorySegment mask) {
        return SCHED_GETAFFINITY.call(0, mask.byteSize(), mask.address()) >= 0;
    }

    /** Sets the cores that the calling thread may run on, and moves it there; false when there is none. */
    static boolean setAffinity(MemorySegment mask) {
        return SCHED_SETAFFINITY.call(0, mask.byteSize(), mask.address()) == 0;
    }
}

package org.tributary.wire.shm;

/** Contents of the word of a mutex ({@link MutexWord}) or of a window's lock ({@link WindowLock}), for observers. */
public final class LockWords {
    private static final long CONTENDED = Long.MIN_VALUE;

    private LockWords() {
    }

    /** Where the word of a mutex lies in its rank's part; negative for an index that cannot be. */
    public static long mutexOffset(long index) {
        return index >= 0 && index <= Integer.MAX_VALUE ? MutexWord.offset((int) index) : -1;
    }

    /** Where the word of a window's lock lies in its rank's control words. */
    public static long windowOffset() {
        return WindowLayout.LOCK;
    }

    /** The rank that holds it alone, or -1. */
    public static int holder(long word) {
        return (int) word - 1;
    }

    /** How many share it; of a window's lock. */
    public static int shared(long word) {
        return (int) ((word & ~CONTENDED) >>> Integer.SIZE);
    }
}

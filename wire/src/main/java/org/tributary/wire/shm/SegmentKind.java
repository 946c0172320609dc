package org.tributary.wire.shm;

/** The purpose of a segment; its code is the ordinal. */
public enum SegmentKind {
    /** Memory of the program. */
    DATA,
    /** Words of mutexes. */
    MUTEXES,
    /** Control words of a window. */
    WINDOW;

    private static final SegmentKind[] BY_CODE = values();

    /** The kind of a message, or null when the code is none. */
    public static SegmentKind of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}

package org.tributary.client.collective;

/** The call of the program of which a collective is a step. The codes are the same in C. */
public enum Purpose {
    /** Nothing but itself. */
    ITSELF(0, ""),
    ALLOCATE(1, "allocate"),
    CREATE_MUTEXES(2, "create mutexes"),
    CREATE_WINDOW(3, "create a window"),
    /** Memory, mutexes or a window are given up; the subject is the number of the segment. */
    FREE(4, "free"),
    CREATE_GROUP(5, "create a group"),
    SPLIT(6, "split the group"),
    FREE_GROUP(7, "free the group"),
    /** Addresses of memory are published, by ranks in C; the subject is the number of the segment. */
    PUBLISH(8, "publish");

    private static final Purpose[] ALL = values();

    private final int code;
    private final String words;

    Purpose(int code, String words) {
        this.code = code;
        this.words = words;
    }

    int code() {
        return code;
    }

    static String words(int code) {
        return code < ALL.length ? ALL[code].words : "purpose " + code;
    }

    static boolean hasSegment(int code) {
        return code == FREE.code || code == PUBLISH.code;
    }
}

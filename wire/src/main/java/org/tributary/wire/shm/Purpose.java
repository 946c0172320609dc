package org.tributary.wire.shm;

/** The call of the program of which a collective is a step; its code is the ordinal. */
public enum Purpose {
    /** Nothing but itself. */
    ITSELF(""),
    ALLOCATE("allocate"),
    CREATE_MUTEXES("create mutexes"),
    CREATE_WINDOW("create a window"),
    CREATE_GROUP("create a group"),
    SPLIT("split the group"),
    /** The member closes the group: no call of it follows. */
    CLOSE_GROUP("close the group"),
    /** Addresses of memory are published, by ranks in C; the subject is the number of the segment. */
    PUBLISH("publish");

    private static final Purpose[] ALL = values();

    private final String words;

    Purpose(String words) {
        this.words = words;
    }

    /** The purpose with that code in words; a code that is unknown is named by its number. */
    public static String words(int code) {
        return code < ALL.length ? ALL[code].words : "purpose " + code;
    }

    /** Whether the subject of a purpose is a segment. */
    public static boolean hasSegment(int code) {
        return code == PUBLISH.ordinal();
    }
}

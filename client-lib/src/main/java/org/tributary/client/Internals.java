package org.tributary.client;

import org.tributary.client.remote.RemoteAccess;
import org.tributary.client.segment.SegmentAccess;

/** What windows and benchmarks need of a rank besides the API; not for programs. Thread-safe. */
public final class Internals {
    private Internals() {
    }

    /** The connections through which a rank sends requests. */
    public static RemoteAccess access(Gas gas) {
        return gas.access();
    }

    /** The operations on some memory. */
    public static SegmentAccess access(GlobalMemory memory) {
        return memory.segment();
    }

    /** The operations on the memory of a number, if the rank takes part in it and has not closed it; else null. */
    public static SegmentAccess find(Gas gas, long id) {
        return gas.allocator().find(id);
    }

    /** Has something done before a rank says goodbye, for other ranks; the result has it done no more. */
    public static Runnable beforeGoodbye(Gas gas, Runnable act) {
        return gas.beforeGoodbye(act);
    }

    /**
     * Allocates the control words of a window; collective over the group.
     *
     * @param what members must agree about
     */
    public static GlobalMemory allocateWindow(Gas gas, Group group, long bytes, String what) {
        return gas.allocator().allocateWindow(group, bytes, what);
    }
}

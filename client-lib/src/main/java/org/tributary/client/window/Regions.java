package org.tributary.client.window;

import org.tributary.client.segment.SegmentAccess;

/** Which memory lies where in a window. Owned by one window. */
interface Regions {
    /**
     * Finds the memory behind a displacement of a member's part.
     *
     * @param low  bytes before the displacement that are touched, as a number not above 0
     * @param high bytes from the displacement on that are touched
     * @throws org.tributary.client.error.InvalidAddressException when they are not all within the window
     */
    void resolve(int member, long displacement, long low, long high);

    /** Memory that was found. */
    SegmentAccess memory();

    /** Where the displacement lies in the target's part of that memory. */
    long offset();

    /** Bytes of a member's part. */
    long bytes(int member);

    /** Bytes of one unit of displacement. */
    int unit(int member);

    /** Looks everything up anew from here on, where members can change it by themselves. */
    default void forget() {
        // Nothing changes.
    }

    /** Closes what belongs to the window alone; collective. */
    void close();
}

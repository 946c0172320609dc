package org.tributary.client.window;

/**
 * How a window synchronizes; the same on all members.
 *
 * @param fence    design of fences
 * @param exposure design of post-start-complete-wait
 * @param lock     design of lock-unlock
 * @param checked  whether conflicting accesses of an epoch are looked for, at some cost; for finding errors in programs
 */
public record WindowOptions(FenceDesign fence, EpochDesign exposure, EpochDesign lock, boolean checked) {
    /** Everything chosen automatically, no checks beyond the cheap ones. */
    public static final WindowOptions DEFAULT =
        new WindowOptions(FenceDesign.AUTO, EpochDesign.AUTO, EpochDesign.AUTO, false);

    /** What messages say of a window when members do not give the same. */
    String describe() {
        return ", fences " + fence + ", exposures " + exposure + ", locks " + lock + (checked ? ", checked" : "");
    }

    /** The same with another design of fences. */
    public WindowOptions withFence(FenceDesign design) {
        return new WindowOptions(design, exposure, lock, checked);
    }

    /** The same with another design of post-start-complete-wait. */
    public WindowOptions withExposure(EpochDesign design) {
        return new WindowOptions(fence, design, lock, checked);
    }

    /** The same with another design of lock-unlock. */
    public WindowOptions withLock(EpochDesign design) {
        return new WindowOptions(fence, exposure, design, checked);
    }

    /** The same with or without the search for conflicting accesses. */
    public WindowOptions withChecks(boolean on) {
        return new WindowOptions(fence, exposure, lock, on);
    }
}

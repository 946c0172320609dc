package org.tributary.client.link;

import java.util.concurrent.atomic.AtomicReference;
import org.tributary.client.error.JobAbortedException;
import org.tributary.config.FailurePolicy;

/**
 * Whether the job has failed, and what that means for this rank: the process ends at once, as users of batch systems
 * expect, or every wait throws, for programs and tests that embed ranks. Thread-safe.
 */
public final class JobFailure {
    /** Exit code of a rank that ends because the job failed elsewhere. */
    public static final int EXIT_CODE = 75;

    private final AtomicReference<String> reason = new AtomicReference<>();
    private final FailurePolicy policy;
    private final int rank;
    private final boolean silent;
    private volatile Runnable wakeUp = () -> { };

    /**
     * No failure yet.
     *
     * @param silent whether somebody else, the launcher, tells the user
     */
    public JobFailure(FailurePolicy policy, int rank, boolean silent) {
        this.policy = policy;
        this.rank = rank;
        this.silent = silent;
    }

    /** What wakes the threads of this rank that wait in the kernel. */
    public void onFailure(Runnable action) {
        wakeUp = action;
    }

    /** The job has failed; the first reason stays. */
    public void fail(String why) {
        if (!reason.compareAndSet(null, why)) {
            return;
        }
        if (policy == FailurePolicy.EXIT) {
            if (!silent) {
                System.err.println("tributary: rank " + rank + " ends: " + why);
            }
            Runtime.getRuntime().halt(EXIT_CODE);
        }
        wakeUp.run();
    }

    /** Whether the job has failed. */
    public boolean hasFailed() {
        return reason.get() != null;
    }

    /** Throws when the job has failed. */
    public void check() {
        String why = reason.get();
        if (why != null) {
            throw new JobAbortedException(why);
        }
    }
}

package org.tributary.server.memory;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.tributary.server.observe.GuardedTasks;
import org.tributary.wire.shm.MappedFiles;

/**
 * Looks every two seconds whether somebody has truncated a file of the node, also one that nobody touches. Runs beside
 * the loop that moves data: that loop may be what an access to memory that is gone has stopped. Owned by its own loop.
 */
public final class TruncationWatch {
    private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(2);

    private final MappedFiles mapped;
    private final Consumer<String> abort;
    private final Consumer<String> giveUp;
    private final long patienceNs;
    private final LongSupplier clock;
    private String problem;
    private long foundAtNs;

    /**
     * A watch with the actions to take when a mapped file was truncated.
     *
     * @param abort      ends the job
     * @param giveUp     ends the server, when {@code abort} has not done so {@code patienceNs} later
     */
    public TruncationWatch(MappedFiles mapped, Consumer<String> abort, Consumer<String> giveUp, long patienceNs,
        LongSupplier clock) {
        this.mapped = mapped;
        this.abort = abort;
        this.giveUp = giveUp;
        this.patienceNs = patienceNs;
        this.clock = clock;
    }

    /** Looks from now on, until the loop of the tasks ends. */
    public void begin(GuardedTasks tasks) {
        tasks.task(this::look).every(LOOK_NS, LOOK_NS);
    }

    void look() {
        if (problem == null) {
            problem = mapped.problem();
            if (problem != null) {
                foundAtNs = clock.getAsLong();
                abort.accept(problem);
            }
        } else if (clock.getAsLong() - foundAtNs >= patienceNs) {
            giveUp.accept(problem);
        }
    }
}

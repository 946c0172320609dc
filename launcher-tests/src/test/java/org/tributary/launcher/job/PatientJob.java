package org.tributary.launcher.job;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/** Makes jobs that never say what they wait for while they start: on a busy machine that may take long. */
public final class PatientJob {
    private PatientJob() {
    }

    /** As {@link Job#Job(JobPlan, Function, LineSink)}. */
    public static Job of(JobPlan plan, Function<Consumer<Event>, JobNodes> nodes, LineSink err) {
        return new Job(plan, nodes, err, new Job.Times(Long.MAX_VALUE / 4, TimeUnit.SECONDS.toNanos(1),
            TimeUnit.SECONDS.toNanos(10), TimeUnit.SECONDS.toNanos(1)), Thread.ofPlatform().daemon().factory());
    }
}

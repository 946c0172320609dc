package org.tributary.launcher.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.tributary.config.Shortage;
import org.tributary.launcher.status.JobReading;
import org.tributary.launcher.status.JobView;
import org.tributary.launcher.status.WhyReport;
import org.tributary.wire.status.JobStatus;
import org.tributary.wire.status.Words;

/**
 * Looks at the launcher's own job from outside, on threads of its own, so that the job never waits for it: reports why
 * the job does not go on when asked, and by itself once each time that the job makes no progress for long. What it
 * finds it posts as {@link Event.Report}s: who waits for whom, then stacks. Where there is no thread to look, it posts
 * that.
 *
 * <p>A job makes no progress while each rank that takes part is in one and the same wait; a rank that computes, has not
 * attached yet, uses a tenth of a core beside its wait, or begins further waits on other threads, is progress.
 */
final class Watch implements AutoCloseable {
    private static final int LOOKS = 4;
    private static final long SHORTEST_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long SAMPLE_NS = TimeUnit.SECONDS.toNanos(1);
    /** Nobody has to wait for a report that nobody has asked for. */
    private static final long STACK_NS = TimeUnit.SECONDS.toNanos(30);

    private final JobView view;
    private final BlockingQueue<Event> events;
    private final ThreadFactory threads;
    private Thread watcher;
    /** Whether a report has been asked for whose end is not noted. */
    private boolean isReporting;

    Watch(JobView view, BlockingQueue<Event> events, ThreadFactory threads) {
        this.view = view;
        this.events = events;
        this.threads = threads;
    }

    /** Begins to look, until this is closed. Called, as all others are, by the job's thread. */
    void begin(long stillNs) {
        if (stillNs > 0) {
            try {
                watcher = start("tributary-watch", () -> watch(stillNs));
            } catch (OutOfMemoryError e) {
                events.add(new Event.Report(List.of("nobody watches whether the job makes progress (job.hang-report): "
                    + Shortage.describe(e)), false));
            }
        }
    }

    /** Looks no more. */
    @Override
    public void close() {
        if (watcher != null) {
            watcher.interrupt();
        }
    }

    /**
     * Posts a report, unless the end of another one is still to be noted; it follows soon whatever state the job is in.
     *
     * @param title   of the report
     * @param stackNs how long to wait for stacks
     */
    void report(String title, long stackNs) {
        if (!isReporting) {
            isReporting = true;
            try {
                Thread unused = start("tributary-report", () -> {
                    List<String> stacks = List.of();
                    try {
                        stacks = look(title, stackNs);
                    } finally {
                        post("", stacks, true);
                    }
                });
            } catch (OutOfMemoryError e) { // whoever waits for the report goes on
                post(title, List.of(unseen(e)), true);
            }
        }
    }

    /** To be called with each event that ends a report, behind which one may ask for another. */
    void noteEnd() {
        isReporting = false;
    }

    private Thread start(String name, Runnable work) {
        Thread thread = threads.newThread(work);
        thread.setName(name);
        thread.start();
        return thread;
    }

    private static String unseen(Throwable why) {
        return "the job cannot be looked at: " + Shortage.describe(why);
    }

    private void watch(long stillNs) {
        Standstill standstill = new Standstill(stillNs, System.nanoTime());
        try {
            while (true) {
                TimeUnit.NANOSECONDS.sleep(Math.max(stillNs / LOOKS, SHORTEST_NS));
                JobReading job = read();
                if (job != null && standstill.isNew(job.status(), System.nanoTime())
                    && awaitSample(standstill, job.status())) {
                    post("", look("no progress for " + Words.age(job.status().standsStillNs()) + " (job.hang-report):"
                        + " every rank" + (job.problems().isEmpty() ? "" : " that can be seen") + " waits", STACK_NS),
                        false);
                    standstill.told();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether the job stands still for a while longer. */
    private boolean awaitSample(Standstill standstill, JobStatus before) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(SAMPLE_NS);
        JobReading after = read();
        return after != null && standstill.lasts(before, after.status(), SAMPLE_NS);
    }

    private JobReading read() throws InterruptedException {
        try {
            return view.read();
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            return null; // the job ends, or its files cannot be read, or there is no thread for it: nothing to tell
        }
    }

    /** Posts the reasons; returns the stacks, which are the end of the report. */
    private List<String> look(String title, long stackNs) {
        List<String> stacks = List.of();
        try {
            JobReading job = view.read();
            if (job.status().nodes().isEmpty() && job.problems().isEmpty()) {
                post(title, List.of("no node of the job is there"), false);
            } else {
                WhyReport report = new WhyReport(job, view);
                post(title, report.reasons(), false); // first, as stacks take a while
                stacks = report.stacks(stackNs);
            }
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            stacks = List.of(unseen(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            stacks = List.of("the job cannot be looked at any more: it ends");
        }
        return stacks;
    }

    private void post(String title, List<String> lines, boolean isEnd) {
        List<String> all = new ArrayList<>(title.isEmpty() ? List.of() : List.of(title));
        lines.forEach(line -> all.add("  " + line));
        events.add(new Event.Report(all, isEnd));
    }
}

package org.tributary.launcher.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.tributary.config.HostFacts;
import org.tributary.config.JobVariables;
import org.tributary.config.Shortage;
import org.tributary.launcher.inquiry.ClockProbe;
import org.tributary.launcher.job.JobPlan;
import org.tributary.launcher.job.LineSink;
import org.tributary.launcher.job.WorkProgress;
import org.tributary.launcher.link.Command;
import org.tributary.launcher.link.Inquiry;
import org.tributary.launcher.link.LaunchCommand;
import org.tributary.launcher.link.LauncherWatch;
import org.tributary.launcher.link.Question;
import org.tributary.launcher.trace.Clocks;

/**
 * Collects what the ranks of a job on several hosts have recorded, when it has ended, into the folder of the same name
 * on the launcher's machine, and compares the clocks of the hosts when ranks start and then. Hosts that see the
 * launcher's folder have nothing to send. A host that is gone is named, and the others are collected.
 */
public final class HostTraces {
    /** Hosts whose traces are being taken at a time. */
    private static final int MOST_AT_ONCE = 32;
    private static final long CLOCK_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long LOOK_MS = 100;

    private final JobPlan plan;
    private final String jobId;
    private final List<String> hosts;
    private final LaunchCommand launch;
    private final String release;
    private final Path from;
    private final Path folder;
    private final LineSink err;
    private final Collection<Clocks.Reading> clocks = new CopyOnWriteArrayList<>();
    private final Map<Integer, String> problems = new ConcurrentSkipListMap<>();
    private final AtomicInteger done = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final Semaphore stopped = new Semaphore(0);
    private LongSupplier nanoTime = System::nanoTime;
    private Thread comparing;

    HostTraces(JobPlan plan, String jobId, List<String> hosts, LaunchCommand launch, String release, Path from,
        Path folder, LineSink err) {
        this.plan = plan;
        this.jobId = jobId;
        this.hosts = List.copyOf(hosts);
        this.launch = launch;
        this.release = release;
        this.from = from;
        this.folder = folder;
        this.err = err;
    }

    /**
     * Those of a job, if its ranks record.
     *
     * @param hosts   by node
     * @param release of this program, as {@code tributary --version} says it
     */
    public static Optional<HostTraces> of(JobPlan plan, String jobId, List<String> hosts, LaunchCommand launch,
        String release, LineSink err) {
        return Optional.ofNullable(plan.userVariables().get(JobVariables.TRACE)).map(Path::of).map(folder ->
            new HostTraces(plan, jobId, hosts, launch, release, folder, folder, err));
    }

    /** The clock by which it says how far it is; its own is that of the system. */
    HostTraces by(LongSupplier clock) {
        nanoTime = clock;
        return this;
    }

    /** The ranks are starting: compares the clocks, at its leisure. */
    void begin(Inquiry.Asking agents) {
        comparing = Thread.ofVirtual().name("clocks").start(() -> {
            try {
                for (int node = 0; node < hosts.size(); node++) {
                    compareClock(node, agents);
                }
            } catch (IOException | InterruptedException e) {
                // They are compared again at the end.
            }
        });
    }

    private void compareClock(int node, Inquiry.Asking agents) throws IOException, InterruptedException {
        ClockProbe probe = new ClockProbe(HostFacts.bootId());
        for (int i = 0; i < ClockProbe.EXCHANGES; i++) {
            long sentNs = System.nanoTime();
            String text = agents.ask(new Inquiry(Question.CLOCK, "", List.of(node), CLOCK_NS)).texts().get(node);
            if (text == null) {
                break;
            }
            probe.add(sentNs, text, System.nanoTime());
        }
        if (probe.best() != null) {
            clocks.add(probe.best());
        }
    }

    /** Collects them, if ranks were started; says what cannot be. Ends early after {@link #stop}. */
    public void collect() throws InterruptedException {
        if (comparing == null) {
            return;
        }
        comparing.interrupt();
        comparing.join();
        try {
            Files.createDirectories(folder);
            Path marker = Files.createTempFile(folder, "." + jobId, ".seen");
            try {
                collect(marker.getFileName().toString());
            } finally {
                Files.deleteIfExists(marker);
            }
        } catch (IOException e) {
            err.say("the traces stay on their hosts, in " + from + ": cannot write to " + folder + ": "
                + Shortage.describe(e));
            return;
        }
        try {
            Clocks.write(folder, jobId, List.copyOf(clocks));
        } catch (IOException e) {
            err.say("how the clocks of the hosts compare is not written to " + folder + ": " + Shortage.describe(e));
        }
        problems.forEach((node, why) -> err.say("the traces of host " + hosts.get(node) + " (node " + node
            + ") are not all here, and may be in " + from + " there: " + why));
    }

    /** From any thread. */
    public void stop() {
        stopped.release();
    }

    private void collect(String marker) throws InterruptedException {
        Semaphore slots = new Semaphore(MOST_AT_ONCE);
        CountDownLatch left = new CountDownLatch(hosts.size());
        List<Thread> threads = IntStream.range(0, hosts.size()).mapToObj(node -> Thread.ofVirtual().start(() -> {
            try {
                slots.acquire();
                try {
                    take(node, marker);
                } finally {
                    slots.release();
                }
            } catch (InterruptedException e) {
                problems.put(node, "interrupted");
            } finally {
                left.countDown();
            }
        })).toList();
        WorkProgress progress = new WorkProgress(err, nanoTime.getAsLong());
        while (left.getCount() > 0) {
            if (stopped.tryAcquire(LOOK_MS, TimeUnit.MILLISECONDS)) {
                threads.forEach(Thread::interrupt);
                left.await();
            }
            progress.at(nanoTime.getAsLong(), "collecting traces: " + done.get() + " of " + hosts.size() + " hosts, "
                + (bytes.get() >> 20) + " MiB", done.get(), hosts.size());
        }
        progress.over();
    }

    private void take(int node, String marker) throws InterruptedException {
        TraceTaker taker = new TraceTaker(node, hosts.get(node), bytes::addAndGet);
        try {
            List<Integer> ranks = IntStream.of(plan.topology().ranksOf(node).toArray()).boxed().toList();
            Command.Collect collect = new Command.Collect(jobId, from.toString(), marker,
                LauncherWatch.ownConnection(), plan.settings().connectionSilenceTimeoutNs());
            List<String> said = taker.take(launch, collect, ranks, folder, release,
                plan.settings().attachTimeoutNs(), err);
            if (!said.isEmpty()) {
                problems.put(node, String.join("; ", said));
            }
        } catch (TraceTaker.LostException e) {
            problems.put(node, e.getMessage());
        } catch (IOException e) {
            problems.put(node, Shortage.describe(e));
        } finally {
            done.incrementAndGet();
            if (taker.clock() != null) {
                clocks.add(taker.clock());
            }
        }
    }
}

package org.tributary.launcher.job;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.launcher.bind.BindPolicy;

/** Runs jobs whose ranks are shell scripts, and whose servers are one that only obeys its launcher. */
final class JobHarness {
    private static final long DEADLINE_S = 150;
    /** A shell cannot trap what was ignored when it started, as in builds that a script runs in its background. */
    private static final List<String> TRAPPING_SHELL = List.of("/usr/bin/env", "--default-signal=INT", "/bin/sh", "-c");
    /** Of as many nodes as its argument says. */
    static final String OBEDIENT_SERVER = """
        count=1
        case $0 in
            [0-9]*) count=$0 ;;
        esac
        for node in $(seq "$TRIBUTARY_NODE" $((TRIBUTARY_NODE + count - 1))); do
            echo "tributary server ready: node $node, address 127.0.0.1:$((1000 + node)), pid $$"
        done
        while read -r line; do
            case $line in
                end) exit 0 ;;
                abort*) exit 1 ;;
            esac
        done
        exit 1
        """;

    final String jobId = "test-" + Long.toString(ThreadLocalRandom.current().nextLong(1L << 40), 36);
    final ByteArrayOutputStream out = new ByteArrayOutputStream();
    final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final String rankScript;
    private String serverScript = OBEDIENT_SERVER;
    private Topology topology = Topology.uniform(2, 2);
    private boolean prefixed = true;
    private boolean hasLost;
    private boolean hasMemory = true;
    private boolean areMortal = true;
    private long killedNs = TimeUnit.SECONDS.toNanos(DEADLINE_S);
    private long timeoutNs;
    private long startedAgoNs;
    private long noticeNs = Long.MAX_VALUE / 4;
    private long secondaryNs = TimeUnit.SECONDS.toNanos(1);
    private long outputNs = TimeUnit.SECONDS.toNanos(1);
    private String grace = "1s";
    private OutputStream reader = out;
    private boolean hasReader = true;
    private ThreadFactory threads = Thread.ofPlatform().daemon().factory();
    private LineSink errorSink;
    private volatile Job running;

    JobHarness(String rankScript) {
        this.rankScript = rankScript;
    }

    JobHarness topology(int nodes, int ranksPerNode) {
        topology = Topology.uniform(nodes, ranksPerNode);
        return this;
    }

    JobHarness server(String script) {
        serverScript = script;
        return this;
    }

    JobHarness plain() {
        prefixed = false;
        return this;
    }

    /** As if the heap were full when the servers are to be started. */
    JobHarness withoutMemory() {
        hasMemory = false;
        return this;
    }

    /** As if processes were stuck in the kernel, for which the job waits no longer. */
    JobHarness immortal() {
        areMortal = false;
        killedNs = 0;
        return this;
    }

    JobHarness timeoutMs(long timeoutMs) {
        timeoutNs = timeoutMs * 1_000_000;
        return this;
    }

    /** The first of the jobs, of which this is one, began so long ago. */
    JobHarness startedAgoNs(long ns) {
        startedAgoNs = ns;
        return this;
    }

    JobHarness noticeMs(long noticeMs) {
        noticeNs = noticeMs * 1_000_000;
        return this;
    }

    /** Waits as long as it takes for the cause of what may be a consequence: only where one is to come. */
    JobHarness patient() {
        secondaryNs = TimeUnit.SECONDS.toNanos(DEADLINE_S);
        return attentive();
    }

    /** Waits as long as it takes for what a process has said before it ended. */
    JobHarness attentive() {
        outputNs = TimeUnit.SECONDS.toNanos(DEADLINE_S);
        return this;
    }

    /** Does not wait for such a cause. */
    JobHarness hasty() {
        secondaryNs = 0;
        return this;
    }

    /** Gives processes all the time that they need to end. */
    JobHarness lenient() {
        grace = DEADLINE_S + "s";
        return this;
    }

    /** Another reader of what ranks print. */
    JobHarness reader(OutputStream other) {
        reader = other;
        return this;
    }

    /** Another place for what ranks print, at which all of it that cannot be written is lost. */
    JobHarness file(OutputStream other) {
        reader = other;
        hasReader = false;
        return this;
    }

    /** Other threads for what the launcher says, and for its looks at the job. */
    JobHarness threads(ThreadFactory others) {
        threads = others;
        return this;
    }

    int run() throws InterruptedException, IOException {
        running = job();
        int code = run(running);
        hasLost = running.hasLost();
        return code;
    }

    /** What it has said last may come late. */
    private int run(Job started) throws InterruptedException, IOException {
        int code = started.run();
        errorSink.awaitSaid(() -> false);
        return code;
    }

    /** To the job that {@link #run} runs. */
    void signal(int signal) {
        running.signal(signal);
    }

    /** Whether the job that {@link #run} runs waits for output alone. */
    boolean isClosing() {
        return running != null && running.isClosing();
    }

    boolean hasLost() {
        return hasLost;
    }

    /** Sends the signals one after the other, each as soon as every rank has printed what it waits for. */
    int runWithSignals(String awaited, int... signals) throws InterruptedException, IOException {
        Job started = job();
        CompletableFuture<Void> sender = meanwhile(() -> {
            for (int i = 0; i < signals.length; i++) {
                int occurrences = topology.rankCount() * (i + 1);
                await(() -> output().split(awaited, -1).length > occurrences);
                started.signal(signals[i]);
            }
        });
        int code = run(started);
        sender.join();
        return code;
    }

    /** Sends the signal as soon as {@code when} holds. */
    int runWithSignal(BooleanSupplier when, int signal) throws InterruptedException, IOException {
        Job started = job();
        CompletableFuture<Void> sender = meanwhile(() -> {
            await(when);
            started.signal(signal);
        });
        int code = run(started);
        sender.join();
        return code;
    }

    String output() {
        return out.toString(StandardCharsets.UTF_8);
    }

    String errors() {
        return err.toString(StandardCharsets.UTF_8);
    }

    List<ProcessHandle> leftOver() {
        return JobProcesses.ofJob(jobId).running();
    }

    static void await(BooleanSupplier condition) {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadlineNs > 0) {
                throw new AssertionError("what is awaited does not come");
            }
            LockSupport.parkNanos(2_000_000);
        }
    }

    /** Does it beside the job; to join it fails if that has failed. */
    static CompletableFuture<Void> meanwhile(Runnable work) {
        return CompletableFuture.runAsync(work, task -> Thread.ofPlatform().daemon().start(task));
    }

    private Job job() {
        Settings settings = Settings.builder().set("job.grace=" + grace).set("attach.timeout=60s").build();
        JobPlan plan = new JobPlan(topology, settings, List.of("/bin/sh", "-c", serverScript),
            Stream.concat(TRAPPING_SHELL.stream(), Stream.of(rankScript)).toList(),
            Map.of("GREETING", "hello"), prefixed, timeoutNs, false);
        errorSink = new LineSink(err, threads);
        Job job = new Job(plan, events -> {
            JobNodes nodes = new LocalNodes(plan, NodeShare.whole(jobId, topology, BindPolicy.NONE), events,
                StandardInput.none(), new LineSink(reader, () -> hasReader), errorSink);
            return hasMemory && areMortal ? nodes : failing(nodes);
        }, errorSink, new Job.Times(noticeNs, secondaryNs, killedNs, outputNs), threads);
        job.countTimeFrom(System.nanoTime() - startedAgoNs);
        return job;
    }

    private JobNodes failing(JobNodes nodes) {
        return (JobNodes) Proxy.newProxyInstance(JobNodes.class.getClassLoader(), new Class<?>[] {JobNodes.class},
            (proxy, method, arguments) -> {
                if (!hasMemory && method.getName().equals("startServers")) {
                    throw new OutOfMemoryError("Java heap space");
                }
                return !areMortal && method.getName().equals("kill") ? null : method.invoke(nodes, arguments);
            });
    }
}

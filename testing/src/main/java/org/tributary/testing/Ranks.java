package org.tributary.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.tributary.client.Gas;
import org.tributary.client.error.JobAbortedException;
import org.tributary.config.Settings;
import org.tributary.config.Topology;

/**
 * Runs a method as every rank of a job, in the process of a test: each rank is a thread with a {@link Gas} of its own,
 * each node has a real communication server, real shared memory and real sockets. Static state of the program is shared
 * by all ranks, other than in a job of processes.
 *
 * <pre>{@code
 * Ranks.of("2*2").run(gas -> assertEquals(6, gas.world().allreduce(ReduceOp.SUM, gas.rank())));
 * }</pre>
 *
 * <p>When a rank throws, the job ends, and what it threw is thrown again; when the time is over, an
 * {@link AssertionError} says where each rank is. In every case servers and shared memory are gone then, and so are the
 * threads of ranks, but for one that computes on and calls nothing of Tributary. The JVM needs the options that
 * {@code tributary jvm-options} prints. Immutable.
 */
public final class Ranks {
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final Duration LAST = Duration.ofSeconds(10);
    /** What the setting takes. */
    private static final long LONGEST_ATTACH_S = Duration.ofHours(24).toSeconds();
    /** Above it, a time would not fit into nanoseconds of a long. */
    private static final Duration LONGEST = Duration.ofDays(100 * 365);
    private static final int FRAMES = 30;

    private final Topology topology;
    private final List<String> settings;
    private final Duration deadline;

    private Ranks(Topology topology, List<String> settings, Duration deadline) {
        this.topology = topology;
        this.settings = settings;
        this.deadline = deadline;
    }

    /** The program of each rank; its {@code Gas} is closed afterwards. */
    public interface Program {
        void run(Gas gas) throws Exception;
    }

    /** Ranks by node, as {@code --layout} has them: {@code 2*2} is two nodes of two ranks. */
    public static Ranks of(String layout) {
        return new Ranks(Topology.parse(layout), List.of(), DEADLINE);
    }

    /** The same with a setting {@code key=value} for servers and ranks. */
    public Ranks with(String setting) {
        List<String> more = new ArrayList<>(settings);
        more.add(setting);
        return new Ranks(topology, List.copyOf(more), deadline);
    }

    /** The same with another deadline than 60 s; more than a hundred years count as these. */
    public Ranks within(Duration longest) {
        return new Ranks(topology, settings, longest.compareTo(LONGEST) < 0 ? longest : LONGEST);
    }

    /**
     * Runs the program on all ranks and waits for them.
     *
     * @throws AssertionError when not all have ended within the deadline
     */
    public void run(Program program) throws Exception {
        try (LocalServers servers = LocalServers.start(topology, effective())) {
            BlockingQueue<End> ends = new LinkedBlockingQueue<>();
            List<Thread> threads = new ArrayList<>();
            for (int rank = 0; rank < topology.rankCount(); rank++) {
                int number = rank;
                threads.add(Thread.ofPlatform().daemon(true).name("rank-" + rank)
                    .start(() -> ends.add(new End(number, failureOf(servers, number, program)))));
            }
            Throwable failure;
            try {
                failure = await(threads, ends, servers);
            } catch (InterruptedException e) {
                servers.abort("the test was interrupted");
                throw e;
            } finally {
                awaitEnd(threads);
            }
            throwAgain(failure);
        }
    }

    /** All of them together have that long; an interrupt is kept for later. */
    private static void awaitEnd(List<Thread> threads) {
        long untilNs = System.nanoTime() + LAST.toNanos();
        boolean isInterrupted = false;
        for (Thread thread : threads) {
            long leftNs = untilNs - System.nanoTime();
            while (thread.isAlive() && leftNs > 0) {
                try {
                    thread.join(Duration.ofNanos(leftNs));
                } catch (InterruptedException e) {
                    isInterrupted = true;
                }
                leftNs = untilNs - System.nanoTime();
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private Settings effective() {
        Settings.Builder builder = Settings.builder().set("server.bind-address=127.0.0.1").set("job.on-failure=throw")
            .set("attach.timeout=" + Math.clamp(deadline.toSeconds(), 1, LONGEST_ATTACH_S) + "s");
        settings.forEach(builder::set);
        return builder.build();
    }

    private static Throwable failureOf(LocalServers servers, int rank, Program program) {
        try (Gas gas = servers.attach(rank)) {
            program.run(gas);
            return null;
        } catch (Throwable e) { // of any kind: the test is to hear of it
            return e;
        }
    }

    /** The cause of the first failure; what other ranks threw because of it is suppressed. Null when all went well. */
    private Throwable await(List<Thread> threads, BlockingQueue<End> ends, LocalServers servers)
        throws InterruptedException {
        long untilNs = System.nanoTime() + deadline.toNanos();
        Throwable first = null;
        for (int ended = 0; ended < threads.size(); ended++) {
            End end = ends.poll(untilNs - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (end == null) {
                AssertionError late = new AssertionError("ranks still run after " + deadline.toMillis() / 1e3 + " s: "
                    + stacks(threads), first);
                servers.abort("the deadline of the test is over");
                return late;
            }
            if (end.failure() != null && (first == null || first instanceof JobAbortedException
                && !(end.failure() instanceof JobAbortedException))) {
                if (first == null) {
                    servers.abort("rank " + end.rank() + " of a test failed: " + end.failure());
                }
                first = end.failure();
            }
        }
        return first;
    }

    private static String stacks(List<Thread> threads) {
        StringBuilder text = new StringBuilder();
        for (Thread thread : threads) {
            if (thread.isAlive()) {
                text.append('\n').append(thread.getName());
                StackTraceElement[] stack = thread.getStackTrace();
                for (int i = 0; i < Math.min(FRAMES, stack.length); i++) {
                    text.append("\n    at ").append(stack[i]);
                }
            }
        }
        return text.toString();
    }

    private static void throwAgain(Throwable failure) throws Exception {
        switch (failure) {
            case null -> { }
            case Error error -> throw error;
            case Exception exception -> throw exception;
            default -> throw new IllegalStateException(failure);
        }
    }

    /** @param failure null for none */
    private record End(int rank, Throwable failure) {
    }
}

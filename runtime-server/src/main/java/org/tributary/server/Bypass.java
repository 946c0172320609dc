package org.tributary.server;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.wire.BlockingConnection;
import org.tributary.wire.Membership;
import org.tributary.wire.RefusedException;
import org.tributary.wire.ServerAddress;
import org.tributary.wire.codec.Role;

/**
 * Tells the end of the job to the servers behind one that is perhaps stopped, which would not hear of it from that:
 * over connections of their own, a few at a time. Those who do not answer either are perhaps stopped as well, and are
 * gone around in turn. That takes no longer than a few seconds, and nobody counts as dead for it.
 */
final class Bypass implements AutoCloseable {
    private static final int AT_ONCE = ServerTree.ARITY + 1;
    private static final long ATTEMPT_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long TOTAL_NS = TimeUnit.MILLISECONDS.toNanos(3500);

    private final JobEnvironment job;
    private final Settings settings;
    private final IntFunction<int[]> around;
    private final ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE,
        Thread.ofPlatform().daemon().name("tributary-bypass-", 0).factory());
    private volatile boolean closed;

    /** {@code around} says which other servers a server would tell. */
    Bypass(JobEnvironment job, Settings settings, IntFunction<int[]> around) {
        this.job = job;
        this.settings = settings;
        this.around = around;
    }

    /** Tells the frame to all whom these servers would tell; done when nothing more can be done. */
    CompletableFuture<Void> tell(int[] silent, ByteBuffer frame) {
        Set<Integer> known = new HashSet<>();
        known.add(job.node());
        for (int each : silent) {
            known.add(each);
        }
        long deadlineNs = System.nanoTime() + TOTAL_NS;
        return CompletableFuture.runAsync(() -> { }, threads)
            .thenCompose(begun -> around(silent, frame, known, deadlineNs))
            .whenComplete((done, failure) -> threads.shutdown());
    }

    /** One round, and those that follow from it. */
    private CompletableFuture<Void> around(int[] silent, ByteBuffer frame, Set<Integer> known, long deadlineNs) {
        Queue<Integer> alsoSilent = new ArrayDeque<>();
        List<CompletableFuture<Void>> attempts = Arrays.stream(silent).boxed()
            .flatMap(each -> Arrays.stream(around.apply(each)).boxed()).filter(known::add)
            .map(target -> CompletableFuture.runAsync(() -> {
                if (!hasHeard(target, frame, deadlineNs)) {
                    synchronized (alsoSilent) {
                        alsoSilent.add(target);
                    }
                }
            }, threads)).toList();
        return CompletableFuture.allOf(attempts.toArray(CompletableFuture[]::new)).thenCompose(done -> {
            int[] next = alsoSilent.stream().mapToInt(Integer::intValue).toArray();
            return next.length == 0 ? CompletableFuture.completedFuture(null)
                : around(next, frame, known, deadlineNs);
        });
    }

    /** Whether that server knows now, or is no more; not whether it is stopped. */
    private boolean hasHeard(int target, ByteBuffer frame, long deadlineNs) {
        long leftNs = Math.min(ATTEMPT_NS, deadlineNs - System.nanoTime());
        if (closed || leftNs <= 0) {
            return true; // no more can be done
        }
        try {
            List<String> addresses = job.servers();
            InetSocketAddress address = target < addresses.size() ? ServerAddress.parse(addresses.get(target)) : null;
            if (address == null || address.isUnresolved()) {
                return false;
            }
            try (BlockingConnection connection = BlockingConnection.connect(address, leftNs)) {
                connection.admit(Membership.of(job, settings), Role.SERVER, job.node(), job.node(), target);
                connection.sendBeside(frame.duplicate());
                return true;
            }
        } catch (RefusedException | ConnectException e) {
            return true; // it ends already, or has ended
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    /** The server ends. */
    @Override
    public void close() {
        closed = true;
        threads.shutdownNow();
    }
}

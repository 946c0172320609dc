package org.tributary.server.job;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.wire.BlockingConnection;
import org.tributary.wire.Deadline;
import org.tributary.wire.Membership;
import org.tributary.wire.RefusedException;
import org.tributary.wire.ServerAddress;
import org.tributary.wire.codec.Role;

/**
 * Tells the servers behind a stopped one of the end of the job, over connections of their own, because the stopped one
 * would not tell them. Servers that do not answer at once are perhaps stopped as well, and are gone around in turn.
 * That takes no longer than a few seconds in which this process runs, and no server counts as dead for it.
 */
final class Bypass implements AutoCloseable {
    /** Each stopped one keeps a thread until the time is over. */
    private static final int AT_ONCE = 128;
    private static final long PERHAPS_STOPPED_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long TOTAL_NS = TimeUnit.MILLISECONDS.toNanos(3500);
    private static final long RETRY_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private final JobEnvironment job;
    private final Settings settings;
    private final IntFunction<int[]> around;
    private final ByteBuffer news;
    private final Deadline deadline;
    private final Function<String, InetSocketAddress> lookup;
    private final Set<Integer> known = ConcurrentHashMap.newKeySet();
    private final ExecutorService threads;
    private volatile boolean closed;

    /** {@code around} says which other servers a server would tell of the {@code news}, a frame. */
    Bypass(JobEnvironment job, Settings settings, IntFunction<int[]> around, ByteBuffer news) {
        this(job, settings, around, news, TOTAL_NS, ServerAddress::parse,
            Thread.ofPlatform().daemon().name("tributary-bypass-", 0).factory());
    }

    /** The same, with another time for all of it, addresses found in another way, on such threads. */
    Bypass(JobEnvironment job, Settings settings, IntFunction<int[]> around, ByteBuffer news, long totalNs,
        Function<String, InetSocketAddress> lookup, ThreadFactory factory) {
        this.threads = Executors.newFixedThreadPool(AT_ONCE, factory);
        this.deadline = Deadline.in(totalNs);
        this.job = job;
        this.settings = settings;
        this.around = around;
        this.news = news;
        this.lookup = lookup;
    }

    /** Tells all servers that these servers would tell; done when nothing more can be done. To be called once. */
    CompletableFuture<Void> goAround(int[] silent) {
        known.add(job.node());
        Arrays.stream(silent).forEach(known::add);
        try {
            CompletableFuture<Void> all =
                CompletableFuture.runAsync(() -> { }, threads).thenCompose(begun -> behind(silent));
            endInTime(all);
            return all.whenComplete((done, failure) -> threads.shutdown());
        } catch (RuntimeException | Error e) {
            threads.shutdown();
            return CompletableFuture.failedFuture(e); // without a thread, nothing can be done
        }
    }

    /** A name service that does not answer keeps its thread for long, which nothing can end. */
    private void endInTime(CompletableFuture<Void> all) {
        if (deadline.isOver()) {
            all.complete(null);
        } else if (!all.isDone()) {
            CompletableFuture.delayedExecutor(Deadline.LOOK_NS, TimeUnit.NANOSECONDS, Runnable::run)
                .execute(() -> endInTime(all));
        }
    }

    private CompletableFuture<Void> behind(int... silent) {
        return CompletableFuture.allOf(Arrays.stream(silent).flatMap(each -> Arrays.stream(around.apply(each))).boxed()
            .filter(known::add).map(this::tell).toArray(CompletableFuture[]::new));
    }

    /** A server that does not answer at once may only be slow: it is told, too, while others are. */
    private CompletableFuture<Void> tell(int target) {
        CompletableFuture<Boolean> heard = CompletableFuture.supplyAsync(() -> tellUntilHeard(target), threads);
        return heard.copy().completeOnTimeout(false, PERHAPS_STOPPED_NS, TimeUnit.NANOSECONDS)
            .thenCompose(has -> has ? CompletableFuture.completedFuture(null) : behind(target))
            .thenCombine(heard, (done, has) -> null);
    }

    /** Whether that server knows now, or is no more; not whether it is stopped. */
    private boolean tellUntilHeard(int target) {
        while (!closed && !deadline.isOver()) {
            try {
                List<String> addresses = job.servers();
                InetSocketAddress address =
                    target < addresses.size() ? lookup.apply(addresses.get(target)) : null;
                if (address == null || address.isUnresolved()) {
                    return false;
                }
                try (BlockingConnection connection = BlockingConnection.connect(address, deadline)) {
                    connection.admit(Membership.of(job, settings), Role.SERVER, job.node(), job.node(), target);
                    connection.sendBeside(news.duplicate());
                    return true;
                }
            } catch (IOException e) {
                if (!BlockingConnection.mayTryAgain(e)) {
                    return e instanceof RefusedException || e instanceof ConnectException; // it ends, or has ended
                }
            } catch (RuntimeException e) {
                return false;
            }
            LockSupport.parkNanos(RETRY_NS);
        }
        return true; // no more can be done
    }

    @Override
    public void close() {
        closed = true;
        threads.shutdownNow();
    }
}

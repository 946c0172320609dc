package org.tributary.client.link;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.tributary.client.connection.ChannelFacts;
import org.tributary.client.connection.ChannelTransport;
import org.tributary.client.connection.LinkSet;
import org.tributary.client.connection.LinkSets;
import org.tributary.client.connection.MemoryTransport;
import org.tributary.client.connection.RequestChannel;
import org.tributary.client.connection.ServerLink;
import org.tributary.client.connection.Transport;
import org.tributary.client.error.GasException;
import org.tributary.client.error.JobAbortedException;
import org.tributary.config.FailurePolicy;
import org.tributary.config.Settings;
import org.tributary.wire.shm.Backoff;
import org.tributary.wire.shm.WaitSlots;

/** What a rank's connections tell each other, without a socket or a server anywhere. */
public final class Rank implements ServerLink.Owner {
    static final int MAX_PAYLOAD = 1 << 20;
    private static final long BLOCK_MS = 1000;

    private final SharedLock lock = new SharedLock();
    private final LinkSets<ServerLink> sets = new LinkSets<>();
    private final JobFailure failure = new JobFailure(FailurePolicy.THROW, 0, true);
    private final MemoryReadiness readiness = new MemoryReadiness();
    private final Settings settings;
    private final Thread deferredSender;
    private final WaitLoop waitLoop;
    private final List<Integer> routesTaken = new ArrayList<>();
    private Runnable whenFull = () -> {
        throw new IllegalStateException("the socket is full");
    };
    private Function<ChannelFacts, RequestChannel> channels = facts -> null;
    private int flushesBeforeAsking = Integer.MAX_VALUE;
    private int sendLaterCalls;
    private int looks;

    public Rank(String... settings) {
        this(Thread.currentThread(), 0, System::nanoTime, settings);
    }

    public Rank(Thread deferredSender, long spinNs, LongSupplier clockNs, String... settings) {
        this(deferredSender, spinNs, BLOCK_MS, clockNs, settings);
    }

    /** A rank whose threads sleep so long when nobody wakes them. */
    static Rank sleeping(long blockMs, String... settings) {
        return new Rank(Thread.currentThread(), 0, blockMs, System::nanoTime, settings);
    }

    private Rank(Thread deferredSender, long spinNs, long blockMs, LongSupplier clockNs, String... settings) {
        Settings.Builder builder = Settings.builder();
        for (String setting : settings) {
            builder.set(setting);
        }
        this.settings = builder.build();
        this.deferredSender = deferredSender;
        this.waitLoop = new WaitLoop(lock, readiness, sets.awaiting(), failure, nowNs -> looks++,
            WaitSlots.unshared(), new Backoff(() -> 0, Thread::onSpinWait), spinNs, blockMs, clockNs);
        failure.onFailure(waitLoop::wakeUp);
    }

    /** A connection to the server of a node. */
    public ServerLink link(int node, MemoryTransport transport) {
        return link(node, transport, transport);
    }

    /** The same, whose requests may take channels. */
    public ServerLink linkWithChannels(int node, MemoryTransport transport) {
        return link(node, new ChannelTransport(transport), transport);
    }

    private ServerLink link(int node, Transport both, MemoryTransport transport) {
        ServerLink link = new ServerLink(this, sets, node, both, MAX_PAYLOAD, MAX_PAYLOAD, settings,
            Arena.ofAuto().allocate(ServerLink.memoryBytes(settings)), deferredSender);
        readiness.watch(link, transport);
        return link;
    }

    SharedLock lock() {
        return lock;
    }

    WaitLoop waitLoop() {
        return waitLoop;
    }

    public JobFailure failure() {
        return failure;
    }

    MemoryReadiness readiness() {
        return readiness;
    }

    public void whenFull(Runnable action) {
        whenFull = action;
    }

    /** Connections ask for a channel after so many hand-overs, and have it opened so. */
    public void openChannels(int much, Function<ChannelFacts, RequestChannel> opening) {
        flushesBeforeAsking = much;
        channels = opening;
    }

    @Override
    public RequestChannel openChannel(ServerLink link, ChannelFacts facts) {
        return channels.apply(facts);
    }

    @Override
    public int flushesBeforeAsking() {
        return flushesBeforeAsking;
    }

    public List<Integer> routesTaken() {
        return routesTaken;
    }

    public int sendLaterCalls() {
        return sendLaterCalls;
    }

    int looks() {
        return looks;
    }

    @Override
    public void lost(String server) {
        failure.fail(server);
    }

    public LinkSet<ServerLink> unflushed() {
        return sets.unflushed();
    }

    public LinkSet<ServerLink> deferred() {
        return sets.deferred();
    }

    public LinkSet<ServerLink> awaiting() {
        return sets.awaiting();
    }

    public LinkSet<ServerLink> unsettled() {
        return sets.unsettled();
    }

    @Override
    public void arrived() {
        waitLoop.arrived();
    }

    @Override
    public void sendLater() {
        sendLaterCalls++;
    }

    @Override
    public void socketTakesAgain() {
        // Nobody counts.
    }

    @Override
    public void socketFull(int node) {
        whenFull.run();
    }

    @Override
    public int nodeOf(int rank, int otherwise) {
        return otherwise;
    }

    @Override
    public void takeRoute(int node) {
        routesTaken.add(node);
    }

    @Override
    public GasException broken(ServerLink link, IOException cause) {
        failure.fail("node " + link.node() + " broke: " + cause.getMessage());
        return new JobAbortedException("connection to node " + link.node() + " broke: " + cause.getMessage());
    }

    /** Names connections on which something has come, as the kernel does. */
    static final class MemoryReadiness implements Readiness {
        private final ArrayDeque<ServerLink> ready = new ArrayDeque<>();
        private boolean woken;
        private int selections;

        @Override
        public void watch(ServerLink link, Transport transport) {
            ((MemoryTransport) transport).whenSomethingComes(ignored -> name(link));
        }

        private synchronized void name(ServerLink link) {
            ready.add(link);
            notifyAll();
        }

        @Override
        public synchronized void select(long timeoutMs, Consumer<ServerLink> receiver) {
            selections++;
            long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
            try {
                for (long leftNs = untilNs - System.nanoTime(); leftNs > 0 && ready.isEmpty() && !woken;
                    leftNs = untilNs - System.nanoTime()) {
                    TimeUnit.NANOSECONDS.timedWait(this, leftNs);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            woken = false;
            while (!ready.isEmpty()) {
                receiver.accept(ready.remove());
            }
        }

        synchronized int selections() {
            return selections;
        }

        @Override
        public synchronized void wakeUp() {
            woken = true;
            notifyAll();
        }

        @Override
        public void close() {
            wakeUp();
        }
    }
}

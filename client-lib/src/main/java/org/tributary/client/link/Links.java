package org.tributary.client.link;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import org.tributary.client.connection.Awaited;
import org.tributary.client.connection.CallEnded;
import org.tributary.client.connection.ChannelFacts;
import org.tributary.client.connection.LinkSet;
import org.tributary.client.connection.LinkSets;
import org.tributary.client.connection.RequestChannel;
import org.tributary.client.connection.ServerLink;
import org.tributary.client.error.AttachException;
import org.tributary.client.error.GasException;
import org.tributary.client.error.JobAbortedException;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.cooperation.CooperationOptions;
import org.tributary.cooperation.Routes;
import org.tributary.wire.Frames;
import org.tributary.wire.record.RecordException;
import org.tributary.wire.shm.Backoff;
import org.tributary.wire.shm.DamagedMemoryException;
import org.tributary.wire.shm.WaitSlots;

/**
 * A rank's connections: {@link Router} knows which one a request takes and has a {@link Connector} open it at first
 * use, {@link WaitLoop} how threads wait for answers, {@link DeferredSender} sends while the program computes,
 * {@link Farewell} ends them. One lock guards all of them; the package's description has the rules.
 *
 * <p>Thread-safe.
 */
public final class Links {
    /** How long anybody sleeps at most before looking around. */
    private static final long BLOCK_MS = 1000;

    private final SharedLock lock = new SharedLock();
    private final LinkSets<ServerLink> sets = new LinkSets<>();
    private final List<ServerLink> all = new CopyOnWriteArrayList<>();
    private final Arena arena = Arena.ofAuto(); // lives as long as a buffer of it can be reached
    private final JobEnvironment job;
    private final JobFailure failure;
    private final SocketConnector connector;
    private final LinkFactory factory;
    private final WaitLoop waitLoop;
    private final Router router;
    private final DeferredSender deferredSender;
    private final Farewell farewell;
    private final boolean hasRing;
    /** Null when no network adapter moves data. */
    private NetworkAdapter adapter;

    /** Without connections; {@link #openLocal} opens the first. Threads that block tell {@code waits}. */
    public Links(JobEnvironment job, Settings settings, JobFailure failure, SocketConnector connector,
        WaitSlots waits)
        throws IOException {
        this.job = job;
        this.failure = failure;
        this.connector = connector;
        CooperationOptions options = CooperationOptions.of(settings, job.topology());
        Routes routes = new Routes(options, job.topology());
        int maxRouted = !routes.cooperates() ? Integer.MAX_VALUE
            : options.maxForwarded() - Frames.MAX_FORWARDED_OVERHEAD;
        this.hasRing = options.hasRings();
        Readiness readiness = new SocketReadiness();
        SilentServers silent = new SilentServers(settings.connectionSilenceTimeoutNs(), System.nanoTime());
        this.waitLoop = new WaitLoop(lock, readiness, sets.awaiting(), failure,
            new HealthCheck(silent, all, failure, System.nanoTime()), waits, Backoff.of(settings.waitPreset()),
            settings.waitSpinNs(), silent.waitMs(BLOCK_MS), System::nanoTime);
        this.deferredSender = new DeferredSender(lock, sets.deferred(), failure, job.rank());
        this.factory = new LinkFactory(new Ties(), sets, all, readiness, settings, arena, failure,
            deferredSender.thread(), job.rank(), maxRouted);
        this.router = new Router(lock, node -> routes.firstHop(job.rank(), node), connector, factory,
            routes.cooperates() ? new DirectLinks(options) : null, waitLoop, failure, System::nanoTime);
        this.farewell = new Farewell(lock, all, router, waitLoop, readiness, deferredSender, failure, job.rank());
        failure.calls().beforeEnding(farewell::letGo);
    }

    /** Opens the connection to the rank's own server, which listens at {@code address}. */
    public void openLocal(SocketAddress address) throws IOException {
        Connector.Admitted admitted = connector.toOwnServer(address, hasRing, arena);
        lock.lock();
        try {
            router.setOwn(job.node(), factory.adopt(job.node(), admitted, null));
        } finally {
            lock.unlock();
        }
    }

    /** From now on the network adapter moves data; called before there is anything to do for it. */
    public void setAdapter(NetworkAdapter adapter) {
        this.adapter = adapter;
        waitLoop.setAdapter(adapter);
        farewell.setAdapter(adapter);
    }

    /** Guards everything reached from here; hold it to encode requests. */
    public ReentrantLock lock() {
        return lock;
    }

    /**
     * The server that requests for a node are given to, that node's own unless nodes cooperate; connects at first use.
     * Call with the lock held, once unless there is a connection already: it is given away while one is opened.
     *
     * @throws AttachException when the server does not admit the rank within {@code attach.timeout}
     */
    public ServerLink connectTo(int node) {
        settle(node);
        return connectWithoutSettling(node);
    }

    /** As {@link #connectTo(int)}, without waiting for what is under way by the network adapter. */
    public ServerLink connectWithoutSettling(int node) {
        checkBeginning();
        ServerLink link = router.connectTo(node);
        checkBeginning(); // it may have taken a while
        return link;
    }

    /**
     * As {@link #connectTo(int)}, for an operation that need not follow what precedes it: what is large, and what is
     * repeated while its target is not contended, takes a direct connection to the target's server. May wait, without
     * the lock, until what precedes has been executed.
     *
     * @param contiguousBytes of a contiguous transfer; 0 for anything else
     */
    public ServerLink connectTo(int node, long contiguousBytes) {
        settle(node);
        checkBeginning();
        ServerLink link = router.connectTo(node, contiguousBytes);
        checkBeginning();
        return link;
    }

    /**
     * No request overtakes what has been begun by the network adapter. Who holds the lock twice has waited for that
     * already, when it took the lock. Gives the lock away meanwhile.
     */
    private void settle(int node) {
        if (adapter != null && lock.getHoldCount() == 1 && adapter.isBusy(node)) {
            awaitUnlocked(adapter.allSoFar(node), null);
        }
    }

    /** Waits for all that has been begun by the network adapter. Call without the lock. */
    public void settleAll() {
        if (adapter == null) {
            return;
        }
        lock.lock();
        try {
            if (adapter.isBusy()) {
                awaitUnlocked(adapter.allSoFar(-1), null);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits without the lock, which is held once; {@code link} as in {@link WaitLoop#await}. */
    public void awaitUnlocked(Awaited what, ServerLink link) {
        lock.unlock();
        try {
            waitLoop.await(what, link);
        } finally {
            lock.lock();
        }
    }

    /** The network adapter has begun something: threads that sleep until a connection has something look there. */
    public void adapterBegan() {
        waitLoop.arrived();
    }

    /** A rank that leaves begins no requests, but completes what it is in the middle of: that has the lock already. */
    private void checkBeginning() {
        if (lock.getHoldCount() <= 1) {
            failure.calls().check();
        }
    }

    /** Answers servers that wait for channels to be taken or left, for a rank that waits for something else. */
    public void answerServers() {
        lock.lock();
        try {
            for (ServerLink link : all) {
                if (link.mayHaveChannel()) {
                    link.poll();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Between two messages of an operation, which may have many: when the rank leaves, those that follow are not sent.
     * Call with the lock held.
     *
     * @throws CallEnded then; memory of the caller is touched no more
     */
    public void checkBetweenMessages() {
        try {
            checkBeginning();
        } catch (JobAbortedException e) {
            throw new CallEnded(e);
        }
    }

    /** Hands to the kernel whatever has been encoded anywhere. */
    public void flushAll() {
        failure.calls().check();
        lock.lock();
        try {
            LinkSet<ServerLink> unflushed = sets.unflushed();
            while (!unflushed.isEmpty()) {
                unflushed.get(unflushed.size() - 1).flush();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The same, except that payload which can be sent later is left for later. Call with the lock held. */
    public void flushSoonAll() {
        LinkSet<ServerLink> unflushed = sets.unflushed();
        for (int i = unflushed.size() - 1; i >= 0; i--) {
            unflushed.get(i).flushSoon();
        }
    }

    /** Every connection, to be gone through with the lock held. */
    public List<ServerLink> all() {
        return all;
    }

    /**
     * The connections with requests that are not known to be executed, or with a failure to throw, as of now. Call with
     * the lock held.
     */
    public List<ServerLink> unsettled() {
        return sets.unsettled().toList();
    }

    public WaitLoop waitLoop() {
        return waitLoop;
    }

    public Farewell farewell() {
        return farewell;
    }

    /** News of connections. */
    private final class Ties implements ServerLink.Owner {
        @Override
        public void arrived() {
            waitLoop.arrived();
        }

        @Override
        public void sendLater() {
            deferredSender.begin();
        }

        @Override
        public void socketFull(int node) {
            if (adapter != null && adapter.isBusy() && adapter.poll()) {
                return;
            }
            waitLoop.awaitRoom(node);
        }

        @Override
        public void socketTakesAgain() {
            waitLoop.socketTakesAgain();
        }

        @Override
        public int nodeOf(int rank, int otherwise) {
            return rank >= 0 && rank < job.topology().rankCount() ? job.topology().nodeOf(rank) : otherwise;
        }

        @Override
        public RequestChannel openChannel(ServerLink link, ChannelFacts facts) {
            return adapter == null ? null : adapter.openChannel(link, facts);
        }

        @Override
        public int flushesBeforeAsking() {
            return adapter == null ? Integer.MAX_VALUE : adapter.flushesBeforeAsking();
        }

        @Override
        public void takeRoute(int node) {
            router.takeRoute(node);
        }

        @Override
        public void lost(String server) {
            failure.noticed(server);
        }

        /** With a connection the job breaks, unless somebody knows better already. */
        @Override
        public GasException broken(ServerLink link, IOException cause) {
            String what = "the connection of rank " + job.rank() + " (node " + job.node()
                + ") to the communication server of node " + link.node() + " broke: " + cause.getMessage();
            if (!farewell.hasBegun()
                && (cause instanceof RecordException || cause.getCause() instanceof DamagedMemoryException)) {
                failure.reportCertain(what);
            } else if (!farewell.hasBegun()) {
                failure.noticed(what);
            }
            return farewell.hasBegun() && failure.calls().isOver() ? failure.calls().whyLeft()
                : new JobAbortedException("connection to node " + link.node() + " broke: " + cause.getMessage());
        }
    }
}

package org.tributary.client.link;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.tributary.client.error.AttachException;
import org.tributary.client.error.GasException;
import org.tributary.client.error.JobAbortedException;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.cooperation.CooperationOptions;
import org.tributary.cooperation.Routes;
import org.tributary.wire.BlockingConnection;
import org.tributary.wire.Frames;
import org.tributary.wire.record.RecordException;
import org.tributary.wire.shm.Backoff;
import org.tributary.wire.shm.DamagedMemoryException;

/**
 * A rank's connections: {@link Router} knows which one a request takes and has a {@link Connector} open it at first
 * use, {@link Waiter} how threads wait for answers, {@link DeferredSender} sends while the program computes. One lock
 * guards all of them; it is held neither while asleep nor while a connection is opened.
 *
 * <p>Thread-safe.
 */
public final class Links {
    /** How long anybody sleeps at most before looking around. */
    private static final long BLOCK_MS = 1000;
    private static final long CLOSE_MS = 1000;
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(BLOCK_MS);
    private static final long FULL_PARK_NS = 20_000;
    private static final int FULL_POLLS_BEFORE_PARK = 30;

    private final SharedLock lock = new SharedLock();
    private final LinkSet unflushed = new LinkSet(0);
    private final LinkSet deferred = new LinkSet(1);
    private final LinkSet awaiting = new LinkSet(2);
    private final LinkSet unsettled = new LinkSet(3);
    private final List<ServerLink> all = new CopyOnWriteArrayList<>();
    private final Arena arena = Arena.ofAuto(); // lives as long as a buffer of it can be reached
    private final JobEnvironment job;
    private final Settings settings;
    private final JobFailure failure;
    private final Readiness readiness;
    private final SocketConnector connector;
    private final SilentServers silent;
    private final Waiter waiter;
    private final Router router;
    private final DeferredSender deferredSender;
    private final ServerLink.Owner owner = new Ties();
    private final SocketAddress localAddress;
    private final boolean hasRing;
    private final int maxRouted;
    private ServerLink local;
    private int fullPolls;
    private long nextLookNs = System.nanoTime() + LOOK_NS;
    private volatile boolean closed;

    /** Without connections; {@link #openLocal} opens the first. */
    public Links(JobEnvironment job, Settings settings, JobFailure failure, SocketAddress localAddress)
        throws IOException {
        this.job = job;
        this.settings = settings;
        this.failure = failure;
        this.localAddress = localAddress;
        CooperationOptions options = CooperationOptions.of(settings, job.topology());
        Routes routes = new Routes(options, job.topology());
        this.maxRouted = routes.isDirect() ? Integer.MAX_VALUE
            : options.maxForwarded() - Frames.MAX_FORWARDED_OVERHEAD;
        this.hasRing = options.hasRings();
        this.readiness = new SocketReadiness();
        this.connector = new SocketConnector(job, settings, failure);
        this.silent = new SilentServers(settings.connectionSilenceTimeoutNs(), System.nanoTime());
        this.waiter = new Waiter(lock, readiness, awaiting, failure, this::look,
            Backoff.of(settings.waitPreset()), settings.waitSpinNs(), silent.waitMs(BLOCK_MS), System::nanoTime);
        this.router = new Router(lock, node -> routes.firstHop(job.rank(), node), connector, new Adopter(),
            routes.isDirect() ? null : new StraightLinks(options), waiter, failure, System::nanoTime);
        this.deferredSender = new DeferredSender(lock, deferred, failure, job.rank());
        failure.calls().beforeEnding(this::letGo);
    }

    /** What those who wait look at now and then. */
    private void look(long nowNs) {
        silent.look(all, nowNs);
        if (local != null && nowNs - nextLookNs >= 0) {
            nextLookNs = nowNs + LOOK_NS;
            local.remind();
            failure.checkMemory();
        }
    }

    /** Opens the connection to the rank's own server. */
    public void openLocal() throws IOException {
        Connector.Admitted admitted = connector.toOwnServer(localAddress, hasRing, arena);
        lock.lock();
        try {
            local = new Adopter().adopt(job.node(), admitted, null);
            router.own(job.node(), local);
        } finally {
            lock.unlock();
        }
    }

    /** Opens a connection for the {@link Lifeline}, which is joined. */
    public BlockingConnection openLifeline() throws IOException {
        return connector.lifeline(localAddress);
    }

    /** Guards everything reached from here; hold it to encode requests. */
    public ReentrantLock lock() {
        return lock;
    }

    /** The rank's own server. */
    public ServerLink local() {
        return local;
    }

    /**
     * The server that requests for a node are given to, that node's own unless nodes cooperate; connects at first use.
     * Call with the lock held, once unless there is a connection already: it is given away while one is opened.
     *
     * @throws AttachException when the server does not admit the rank within {@code attach.timeout}
     */
    public ServerLink connectTo(int node) {
        checkBeginning();
        ServerLink link = router.connectTo(node);
        checkBeginning(); // it may have taken a while
        return link;
    }

    /**
     * As {@link #connectTo(int)}, for an operation that may take another way than what precedes it: what is large, and what is
     * repeated while its target is not contended, goes straight to the target's server. May wait, without the lock,
     * until what precedes has been executed.
     *
     * @param contiguousBytes of a contiguous transfer; 0 for anything else
     */
    public ServerLink connectTo(int node, long contiguousBytes) {
        checkBeginning();
        ServerLink link = router.connectTo(node, contiguousBytes);
        checkBeginning();
        return link;
    }

    /** A rank that leaves begins no requests, but completes what it is in the middle of: that has the lock already. */
    private void checkBeginning() {
        if (lock.getHoldCount() <= 1) {
            failure.calls().check();
        }
    }

    /** Makes links of connections. */
    private final class Adopter implements Router.Adopter {
        @Override
        public ServerLink adopt(int node, Connector.Admitted admitted, ServerLink retired) {
            ServerLink link = link(node, admitted, retired);
            try {
                link.watchHost(settings.connectionSilenceTimeoutNs());
                readiness.watch(link, admitted.transport());
            } catch (IOException | RuntimeException e) {
                link.close();
                throw new AttachException("the connection to node " + node + " cannot be used: " + e, e);
            }
            int place = retired == null ? -1 : all.indexOf(retired);
            if (place < 0) {
                all.add(link);
            } else {
                all.set(place, link); // nobody who goes through the links misses one
            }
            return link;
        }

        private ServerLink link(int node, Connector.Admitted admitted, ServerLink retired) {
            return new ServerLink(owner, node, admitted.transport(), admitted.maxPayload(), maxRouted, settings,
                retired != null ? retired.memory() : arena.allocate(ServerLink.memoryBytes(settings)),
                deferredSender.thread());
        }

        @Override
        public void turnAway(int node, Connector.Admitted admitted, boolean isStraight) {
            ServerLink link = link(node, admitted, null);
            if (!failure.hasFailed()) {
                sayGoodbye(link, isStraight ? Frames.NO_RANK : job.rank());
            }
            link.close();
        }
    }

    /** Hands to the kernel whatever has been encoded anywhere. */
    public void flushAll() {
        failure.calls().check();
        lock.lock();
        try {
            while (!unflushed.isEmpty()) {
                unflushed.get(unflushed.size() - 1).flush();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The same, except that payload which can be sent later is left for later. Call with the lock held. */
    public void flushSoonAll() {
        for (int i = unflushed.size() - 1; i >= 0; i--) {
            unflushed.get(i).flushSoon();
        }
    }

    /** Every connection, to be gone through with the lock held. */
    public List<ServerLink> all() {
        return all;
    }

    /** Whether no answer is expected anywhere. Call with the lock held. */
    public boolean nothingPending() {
        return awaiting.isEmpty();
    }

    /**
     * The connections with requests that are not known to be executed, or with a failure to throw, as of now. Call with
     * the lock held.
     */
    public ServerLink[] unsettled() {
        return unsettled.toArray();
    }

    /** Reads what has come of the answers that are due. Call with the lock held. */
    public void pollAwaiting() {
        waiter.pollAwaiting();
    }

    /**
     * Waits until something has come; reads meanwhile. Call without the lock.
     *
     * @param link the only connection that it can come from, or null for any from which an answer is due
     * @throws GasException when the job fails or a connection breaks
     */
    public void await(Awaited what, ServerLink link) {
        waiter.await(what, link);
    }

    /** Wakes whoever sleeps, to find that the job has failed. */
    public void wakeUp() {
        waiter.wakeUp();
    }

    /** What connections tell. */
    private final class Ties implements ServerLink.Owner {
        @Override
        public LinkSet unflushed() {
            return unflushed;
        }

        @Override
        public LinkSet deferred() {
            return deferred;
        }

        @Override
        public LinkSet awaiting() {
            return awaiting;
        }

        @Override
        public LinkSet unsettled() {
            return unsettled;
        }

        @Override
        public void arrived() {
            waiter.arrived();
        }

        @Override
        public void sendLater() {
            deferredSender.begin();
        }

        @Override
        public void socketFull() {
            failure.checkJob(); // who leaves half a request behind breaks the connection
            if (++fullPolls > FULL_POLLS_BEFORE_PARK) {
                fullPolls = 0;
                look(System.nanoTime());
                LockSupport.parkNanos(FULL_PARK_NS);
            } else {
                Thread.onSpinWait();
            }
        }

        @Override
        public int nodeOf(int rank, int otherwise) {
            return rank >= 0 && rank < job.topology().rankCount() ? job.topology().nodeOf(rank) : otherwise;
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
            if (!closed && (cause instanceof RecordException || cause.getCause() instanceof DamagedMemoryException)) {
                failure.isCertain(what);
            } else if (!closed) {
                failure.noticed(what);
            }
            return closed && failure.calls().isLeaving() ? failure.calls().hasLeft()
                : new JobAbortedException("connection to node " + link.node() + " broke: " + cause.getMessage());
        }
    }

    /**
     * Has no connection touch memory of callers, unless another thread keeps the lock.
     *
     * @return whether that is so within the time
     */
    public boolean letGo(long timeoutNs) {
        try {
            if (!lock.tryLock(timeoutNs, TimeUnit.NANOSECONDS)) {
                return false;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        try {
            letGo();
        } finally {
            lock.unlock();
        }
        return true;
    }

    /** Waits until what was on its way when a rank that leaves has let go has come. */
    public void awaitDropped() {
        for (ServerLink link : all) {
            await(link::isSkimmed, link);
        }
    }

    private void letGo() {
        lock.lock();
        try {
            GasException why = failure.calls().isLeft();
            for (ServerLink link : all) {
                link.letGo(why);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Says goodbye on every connection, unless the job has failed, and closes them. A thread that is stuck in a call,
     * or opens a connection, holds this up for a moment only.
     *
     * @param isHeard whether the own server has read the goodbye; until then, for a bounded time, nothing is closed
     * @return whether no thread uses connections any more, or what it sends from
     */
    public boolean leave(BooleanSupplier isHeard) {
        return close(job.rank(), isHeard);
    }

    /** Closes connections of a rank that could not attach: its server goes on expecting it. */
    public void withdraw() {
        close(Frames.NO_RANK, () -> true);
    }

    private boolean close(int leaving, BooleanSupplier isHeard) {
        boolean locked = false;
        failure.leaves(); // who waits for the reason of a failure has the lock
        try {
            locked = lock.tryLock(CLOSE_MS, TimeUnit.MILLISECONDS);
            closed = true;
            if (locked) {
                router.close(TimeUnit.MILLISECONDS.toNanos(CLOSE_MS));
            }
            deferredSender.end(CLOSE_MS);
            // The own server last: when it has heard from all of its ranks, the job may end.
            for (int i = all.size() - 1; i >= 0 && locked && !failure.hasFailed(); i--) {
                sayGoodbye(all.get(i), leaving);
            }
            if (locked) {
                readUntil(isHeard);
            }
            all.forEach(ServerLink::close);
            readiness.close();
            return locked && deferredSender.hasEnded();
        } catch (IOException e) {
            throw new GasException("closing failed", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            if (locked) {
                lock.unlock();
            }
        }
    }

    /** A server that cannot get rid of answers does not read on; and what is unread when it closes breaks a socket. */
    private void readUntil(BooleanSupplier isHeard) {
        long untilNs = System.nanoTime() + Calls.patienceNs();
        try {
            while (!isHeard.getAsBoolean() && System.nanoTime() - untilNs < 0) {
                if (!local.poll()) {
                    LockSupport.parkNanos(FULL_PARK_NS);
                }
            }
        } catch (GasException e) {
            // The server is gone; it hears nothing.
            failure.hasFailed();
        }
    }

    private void sayGoodbye(ServerLink link, int rank) {
        try {
            link.leave(rank);
        } catch (IOException | GasException e) {
            // The server is gone; it needs no goodbye.
            failure.hasFailed();
        }
    }
}

package org.tributary.client.link;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.agrona.collections.Int2ObjectHashMap;
import org.tributary.client.error.AttachException;
import org.tributary.client.error.GasException;
import org.tributary.client.error.JobAbortedException;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.cooperation.CooperationOptions;
import org.tributary.cooperation.Routes;
import org.tributary.wire.BlockingConnection;
import org.tributary.wire.Frames;
import org.tributary.wire.RefusedException;
import org.tributary.wire.ServerAddress;
import org.tributary.wire.codec.Role;
import org.tributary.wire.shm.Courtesy;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.shm.RingFile;

/**
 * A rank's connections, opened at first use, and how its threads wait for them: whoever waits reads, first in a bounded
 * spin, because an answer usually comes within microseconds, then asleep in the kernel. One lock guards all
 * connections; it is never held while asleep, except to open a connection. One thread at a time sleeps in the selector;
 * it wakes the others when there is news.
 *
 * <p>Thread-safe.
 */
public final class Links implements AutoCloseable {
    private static final long BLOCK_MS = 1000;
    private static final long RETRY_NS = 5_000_000;
    private static final long FULL_PARK_NS = 20_000;
    /** A connection that can be done without holds up no longer. */
    private static final long STRAIGHT_CONNECT_NS = 1_000_000_000;
    private static final int FULL_POLLS_BEFORE_PARK = 30;

    private final SharedLock lock = new SharedLock();
    private final DeferredSender deferredSender;
    private final SilentServers silent;
    private final Condition news = lock.newCondition();
    private final JobEnvironment job;
    private final Settings settings;
    private final JobFailure failure;
    private final Selector selector;
    private final Arena arena = Arena.ofAuto(); // lives as long as a buffer of it can be reached
    private final Routes routes;
    private final StraightLinks straight;
    private final boolean hasRings;
    private final Courtesy courtesy;
    private final int maxRouted;
    /** Where requests for a node go now. */
    private final Int2ObjectHashMap<ServerLink> remote = new Int2ObjectHashMap<>();
    /** The servers on routes. */
    private final Int2ObjectHashMap<ServerLink> servers = new Int2ObjectHashMap<>();
    private final List<ServerLink> all = new CopyOnWriteArrayList<>();
    private final SocketAddress localAddress;
    private ServerLink local;
    private boolean selecting;
    private int asleep;
    private int fullPolls;
    private volatile boolean closed;

    /** Connects to the rank's own server. */
    public Links(JobEnvironment job, Settings settings, JobFailure failure, SocketAddress localAddress)
        throws IOException {
        this.job = job;
        this.settings = settings;
        this.failure = failure;
        this.localAddress = localAddress;
        CooperationOptions options = CooperationOptions.of(settings, job.topology());
        this.routes = new Routes(options, job.topology());
        this.maxRouted = routes.isDirect() ? Integer.MAX_VALUE
            : options.maxForwarded() - Frames.MAX_FORWARDED_OVERHEAD;
        this.hasRings = options.hasRings();
        this.straight = routes.isDirect() ? null : new StraightLinks(options, this::openStraight);
        this.courtesy = Courtesy.of(settings.waitPreset());
        this.selector = Selector.open();
        this.silent = new SilentServers(settings.connectionSilenceTimeoutNs(), System.nanoTime());
        this.deferredSender = new DeferredSender(lock, all, failure, job.rank());
    }

    /** Opens the connection to the rank's own server. */
    public void openLocal() throws IOException {
        lock.lock();
        try {
            local = open(localAddress, Role.LOCAL_RANK, job.node());
        } finally {
            lock.unlock();
        }
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
     * Call with the lock held.
     */
    public ServerLink to(int node) {
        ServerLink link = node == job.node() ? local : remote.get(node);
        if (link == null) {
            link = toServer(routes.firstHop(job.rank(), node));
            remote.put(node, link);
        }
        if (straight != null) {
            link.aim(node);
        }
        return link;
    }

    private ServerLink toServer(int hop) {
        ServerLink link = hop == job.node() ? local : servers.get(hop);
        if (link == null) {
            link = openRemote(hop);
            servers.put(hop, link);
        }
        return link;
    }

    /**
     * As {@link #to(int)}, for an operation that may take another way than what precedes it: what is large, and what is
     * repeated while its target is not contended, goes straight to the target's server. May wait, without the lock,
     * until what precedes has been executed.
     *
     * @param contiguousBytes of a contiguous transfer; 0 for anything else
     */
    public ServerLink to(int node, long contiguousBytes) {
        ServerLink link = to(node);
        // What holds the lock already has begun something on the link.
        if (straight == null || routes.firstHop(job.rank(), node) == node || lock.getHoldCount() > 1) {
            return link;
        }
        long nowNs = System.nanoTime();
        boolean wantsStraight = straight.wants(node, contiguousBytes, nowNs);
        if (wantsStraight == straight.has(node)) {
            return link;
        }
        if (!link.isQuiet()) {
            if (!straight.mayWait(nowNs)) {
                return link;
            }
            awaitExecuted(link);
            if (remote.get(node) != link || !link.isQuiet()) {
                return to(node);
            }
        }
        remote.remove(node);
        ServerLink other = wantsStraight ? straight.open(node, nowNs, remote) : null;
        if (other == null) {
            straight.close(node);
            return to(node);
        }
        remote.put(node, other);
        other.aim(node);
        return other;
    }

    /** Gives the lock, which is held once, away meanwhile. */
    private void awaitExecuted(ServerLink link) {
        Awaited executed = link.fenceEverything();
        lock.unlock();
        try {
            await(executed, link);
        } finally {
            lock.lock();
        }
    }

    /** A server has become contended. Call with the lock held. */
    void takeRoute(int node) {
        straight.takeRoute(node, System.nanoTime());
    }

    /**
     * Opens a connection beside the route, in the place of one that is not used any more. Null when that cannot be done
     * now: the route is good as well.
     */
    private ServerLink openStraight(int node, ServerLink retired) {
        List<String> addresses = job.servers();
        InetSocketAddress address = node < addresses.size() ? ServerAddress.parse(addresses.get(node)) : null;
        if (address == null || address.isUnresolved()) {
            return null;
        }
        ServerLink route = toServer(routes.firstHop(job.rank(), node));
        try {
            ServerLink link = connect(address, Role.STRAIGHT_RANK, node, retired,
                Math.min(settings.connectTimeoutNs(), STRAIGHT_CONNECT_NS));
            link.beside(route);
            int place = retired == null ? -1 : all.indexOf(retired);
            if (place < 0) {
                all.add(link);
            } else {
                all.set(place, link); // nobody who goes through the links misses one
            }
            return link;
        } catch (IOException e) {
            failure.check();
            return null;
        }
    }

    private ServerLink openRemote(int node) {
        long deadlineNs = System.nanoTime() + settings.attachTimeoutNs();
        String address = addressOf(node, deadlineNs);
        InetSocketAddress resolved = ServerAddress.parse(address);
        if (resolved.isUnresolved()) {
            throw new AttachException("the address of node " + node + "'s server, " + address
                + ", cannot be resolved", null);
        }
        while (true) {
            try {
                return open(resolved, Role.REMOTE_RANK, node);
            } catch (ConnectException e) {
                // Job scripts may start ranks before every server listens.
                retryUntil(deadlineNs, "no communication server of node " + node + " at " + address
                    + " within attach.timeout: " + e.getMessage(), e);
            } catch (RefusedException e) {
                throw new AttachException(e.getMessage(), e);
            } catch (IOException e) {
                throw new AttachException("cannot connect to the server of node " + node + " at " + address + ": "
                    + e.getMessage(), e);
            }
        }
    }

    /** The file that lists the servers may be completed after ranks have started. */
    private String addressOf(int node, long deadlineNs) {
        while (true) {
            List<String> addresses = job.servers();
            if (node < addresses.size()) {
                return addresses.get(node);
            }
            retryUntil(deadlineNs, "the address of node " + node + "'s server is not known: TRIBUTARY_SERVERS or the "
                + "file TRIBUTARY_SERVERS_FILE lists " + addresses.size() + " of " + job.topology().nodeCount(), null);
        }
    }

    private void retryUntil(long deadlineNs, String problem, IOException cause) {
        failure.check();
        if (System.nanoTime() > deadlineNs) {
            throw new AttachException(problem, cause);
        }
        LockSupport.parkNanos(RETRY_NS);
    }

    private ServerLink open(SocketAddress address, Role role, int node) throws IOException {
        ServerLink link = connect(address, role, node);
        all.add(link);
        return link;
    }

    private ServerLink connect(SocketAddress address, Role role, int node) throws IOException {
        return connect(address, role, node, null, settings.connectTimeoutNs());
    }

    /** Opens a connection, with the memory of one that is not used any more unless that is null. */
    private ServerLink connect(SocketAddress address, Role role, int node, ServerLink retired, long timeoutNs)
        throws IOException {
        BlockingConnection connection = BlockingConnection.connect(address, timeoutNs);
        try {
            int maxPayload = connection.admit(job.secret(), job.jobId(), role, job.rank(), job.node());
            SocketChannel channel = connection.release();
            RingChannel ring = role == Role.LOCAL_RANK && hasRings ? openRing(channel) : null;
            ServerLink link = new ServerLink(this, node, channel, ring, maxPayload, maxRouted, settings,
                retired != null ? retired.memory() : arena.allocate(ServerLink.memoryBytes(settings)),
                deferredSender.thread());
            link.channel().register(selector, SelectionKey.OP_READ, link);
            return link;
        } catch (IOException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private RingChannel openRing(SocketChannel channel) throws IOException {
        Path file = NodeDirectory.of(settings.shmDirectory(), job.jobId(), job.node()).rings();
        try {
            RingFile rings = RingFile.open(file, arena);
            return new RingChannel(rings, job.rank() - job.topology().firstRank(job.node()), channel);
        } catch (NoSuchFileException e) {
            throw new IOException("there is no " + file + ": rank and server differ in cooperation.mode or"
                + " cooperation.scope", e);
        }
    }

    /** The node of a rank, or {@code otherwise} when there is no such rank. */
    int nodeOf(int rank, int otherwise) {
        return rank >= 0 && rank < job.topology().rankCount() ? job.topology().nodeOf(rank) : otherwise;
    }

    /** Sends whatever is buffered anywhere. */
    public void flushAll() {
        lock.lock();
        try {
            for (int i = 0; i < all.size(); i++) {
                all.get(i).flush();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Every connection, to be gone through with the lock held. */
    public List<ServerLink> all() {
        return all;
    }

    /** Whether no answer is expected anywhere. Call with the lock held. */
    public boolean nothingPending() {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).pendingReplies() > 0) {
                return false;
            }
        }
        return true;
    }

    /** Reads what has come anywhere. Call with the lock held. */
    public void pollAll() {
        for (int i = 0; i < all.size(); i++) {
            all.get(i).poll();
        }
    }

    /**
     * Waits until something has come; reads meanwhile. Call without the lock.
     *
     * @param link the only connection that it can come from, or null
     * @throws GasException when the job fails or a connection breaks
     */
    public void await(Awaited what, ServerLink link) {
        long spinUntilNs = 0;
        while (true) {
            boolean moved;
            lock.lock();
            try {
                if (what.isDone()) {
                    return;
                }
                moved = pollOnce(link);
                if (moved && what.isDone()) {
                    return;
                }
            } finally {
                lock.unlock();
            }
            failure.check();
            long nowNs = System.nanoTime();
            lookForSilence(nowNs);
            if (spinUntilNs == 0 || moved && link != null) {
                spinUntilNs = nowNs + settings.waitSpinNs();
            } else if (nowNs > spinUntilNs) {
                block(what);
            } else {
                courtesy.yield();
            }
        }
    }

    private void lookForSilence(long nowNs) {
        if (silent.isDue(nowNs)) {
            lock.lock();
            try {
                silent.look(all, nowNs);
            } finally {
                lock.unlock();
            }
        }
    }

    private boolean pollOnce(ServerLink link) {
        if (link == null) {
            pollAll();
            return true;
        }
        return link.poll();
    }

    /** Sleeps until any connection has something, at most a second. */
    private void block(Awaited what) {
        lock.lock();
        try {
            if (what.isDone()) {
                return;
            }
            if (selecting) {
                asleep++;
                try {
                    news.await(silent.waitMs(BLOCK_MS), TimeUnit.MILLISECONDS);
                } finally {
                    asleep--;
                }
                return;
            }
            selecting = true;
            asleep++;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new GasException("interrupted while waiting for an answer", e);
        } finally {
            lock.unlock();
        }
        try {
            selector.select(silent.waitMs(BLOCK_MS));
        } catch (IOException e) {
            throw new GasException("waiting for an answer failed", e);
        } finally {
            lock.lock();
            try {
                selecting = false;
                asleep--;
                selector.selectedKeys().clear();
                if (!failure.hasFailed()) {
                    pollAll();
                }
                news.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Something has been read; it may be what another thread sleeps for. Call with the lock held. */
    void arrived() {
        if (asleep > 0) {
            if (selecting) {
                selector.wakeup();
            }
            news.signalAll();
        }
    }

    /** Wakes whoever sleeps, to find that the job has failed. */
    public void wakeUp() {
        selector.wakeup();
    }

    /** A link has something to send while the caller computes. */
    void sendLater() {
        deferredSender.begin();
    }

    /** A socket takes nothing more and nothing has come on it. Call with the lock held. */
    void socketFull() {
        failure.check();
        if (++fullPolls > FULL_POLLS_BEFORE_PARK) {
            fullPolls = 0;
            silent.look(all, System.nanoTime());
            LockSupport.parkNanos(FULL_PARK_NS);
        } else {
            Thread.onSpinWait();
        }
    }

    /** A server says that another one is gone. */
    void lost(String server) {
        failure.noticed(server);
    }

    /** A connection broke: with it the job, unless somebody knows better already. */
    GasException broken(ServerLink link, IOException cause) {
        if (!closed) {
            failure.noticed("the connection of rank " + job.rank() + " (node " + job.node()
                + ") to the communication server of node " + link.node() + " broke: " + cause.getMessage());
        }
        return new JobAbortedException("connection to node " + link.node() + " broke: " + cause.getMessage());
    }

    /**
     * Says goodbye on every connection, unless the job has failed, and closes them. A thread that is stuck in a call
     * holds this up for a moment only.
     */
    @Override
    public void close() {
        boolean locked = false;
        try {
            locked = lock.tryLock(BLOCK_MS, TimeUnit.MILLISECONDS);
            closed = true;
            deferredSender.end(BLOCK_MS);
            // The own server last: when it has heard from all of its ranks, the job may end.
            for (int i = all.size() - 1; i >= 0 && locked && !failure.hasFailed(); i--) {
                sayGoodbye(all.get(i));
            }
            all.forEach(ServerLink::close);
            selector.close();
        } catch (IOException e) {
            throw new GasException("closing failed", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (locked) {
                lock.unlock();
            }
        }
    }

    private void sayGoodbye(ServerLink link) {
        try {
            link.leave(job.rank());
        } catch (IOException | GasException e) {
            // The server is gone; it needs no goodbye.
            failure.hasFailed();
        }
    }
}

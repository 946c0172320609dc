package org.tributary.client.link;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.agrona.collections.Int2ObjectHashMap;
import org.tributary.client.connection.Awaited;
import org.tributary.client.connection.ServerLink;
import org.tributary.client.error.AttachException;
import org.tributary.client.error.GasException;
import org.tributary.client.error.JobAbortedException;
import org.tributary.wire.shm.WaitKind;

/**
 * Which connection requests for a node take: the one on their route, opened at first use, or one directly to the node.
 * While one thread opens a connection it gives the lock away, so only threads that need this connection wait. They wait
 * for the same attempt and hear how it ends. Operations on a node take effect in order: requests change between the
 * route and the direct connection only when nothing is under way. Guarded by the lock of {@link Links}.
 */
final class Router {
    /** The first hop of requests of this rank for a node. */
    interface Route {
        int firstHop(int node);
    }

    /** Owner of connections, which takes those that have been admitted. */
    interface Adopter {
        /** A link that is read from now on. {@code retired} is one whose place and memory it takes, or null. */
        ServerLink adopt(int node, Connector.Admitted admitted, ServerLink retired);

        /** Says goodbye on a connection that came too late, and closes it. */
        void turnAway(int node, Connector.Admitted admitted, boolean isDirect);
    }

    private static final long SLICE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** An attempt to connect that several threads may wait for. */
    private static final class Opening {
        private boolean ended;
        private RuntimeException problem;
    }

    private final SharedLock lock;
    private final Condition opened;
    private final Route route;
    private final Connector connector;
    private final Adopter adopter;
    private final DirectLinks directLinks;
    private final WaitLoop waitLoop;
    private final JobFailure failure;
    private final LongSupplier clockNs;
    /** Where requests for a node go now. */
    private final Int2ObjectHashMap<ServerLink> current = new Int2ObjectHashMap<>();
    /** The servers on routes. */
    private final Int2ObjectHashMap<ServerLink> servers = new Int2ObjectHashMap<>();
    private final Int2ObjectHashMap<Opening> openings = new Int2ObjectHashMap<>();
    private int attempts;
    private boolean closed;

    /**
     * Without connections.
     *
     * @param directLinks direct connections, or null when there are none
     */
    Router(SharedLock lock, Route route, Connector connector, Adopter adopter, DirectLinks directLinks,
        WaitLoop waitLoop, JobFailure failure, LongSupplier clockNs) {
        this.lock = lock;
        this.opened = lock.newCondition();
        this.route = route;
        this.connector = connector;
        this.adopter = adopter;
        this.directLinks = directLinks;
        this.waitLoop = waitLoop;
        this.failure = failure;
        this.clockNs = clockNs;
    }

    /** Signalled whenever an attempt to connect ends; for tests. */
    Condition condition() {
        return opened;
    }

    /** The rank's own server is there already. */
    void setOwn(int node, ServerLink local) {
        current.put(node, local);
        servers.put(node, local);
    }

    /** The connection for requests for a node; connects at first use, without the lock meanwhile. */
    ServerLink connectTo(int node) {
        ServerLink link = current.get(node);
        if (link == null) {
            ServerLink routed = connectToServer(route.firstHop(node));
            link = current.get(node); // others had the lock meanwhile
            if (link == null) {
                current.put(node, routed);
                link = routed;
            }
        }
        if (directLinks != null) {
            link.limitPayloadFor(node);
        }
        return link;
    }

    private ServerLink connectToServer(int hop) {
        ServerLink link = servers.get(hop);
        while (link == null) {
            Opening opening = openings.get(hop);
            if (opening == null) {
                return open(hop);
            }
            await(hop, opening);
            link = servers.get(hop);
        }
        return link;
    }

    private ServerLink open(int hop) {
        refuseWhenClosed();
        Opening opening = new Opening();
        openings.put(hop, opening);
        try {
            Connector.Admitted admitted = withoutLock(hop, () -> connector.connectToServer(hop));
            if (closed) {
                adopter.turnAway(hop, admitted, false);
            }
            refuseWhenClosed();
            ServerLink link = adopter.adopt(hop, admitted, null);
            servers.put(hop, link);
            return link;
        } catch (RuntimeException e) {
            // An interrupt concerns this thread alone: without a problem, one of those that wait tries itself.
            opening.problem = Thread.currentThread().isInterrupted() ? null : e;
            throw e;
        } finally {
            opening.ended = true;
            openings.remove(hop);
            opened.signalAll();
        }
    }

    private void refuseWhenClosed() {
        if (closed) {
            throw new JobAbortedException("this rank has left the job");
        }
    }

    private Connector.Admitted withoutLock(int node, Supplier<Connector.Admitted> attempt) {
        assert lock.getHoldCount() == 1 : "a connection is opened in the middle of an operation";
        attempts++;
        lock.unlock();
        int slot = waitLoop.waits().begin(WaitKind.CONNECTION, node, 0, 0);
        try {
            return attempt.get();
        } finally {
            waitLoop.waits().end(slot);
            lock.lock();
            attempts--;
            opened.signalAll();
        }
    }

    /** The attempt has a time-out of its own. */
    private void await(int hop, Opening opening) {
        int slot = waitLoop.waits().begin(WaitKind.CONNECTION, hop, 0, 0);
        try {
            while (!opening.ended) {
                failure.check();
                refuseWhenClosed();
                sleep(SLICE_NS);
            }
        } finally {
            waitLoop.waits().end(slot);
        }
        if (opening.problem instanceof JobAbortedException) {
            throw new JobAbortedException(opening.problem.getMessage());
        }
        if (opening.problem != null) {
            throw new AttachException(opening.problem.getMessage(), opening.problem);
        }
    }

    private void sleep(long ns) {
        try {
            long unused = opened.awaitNanos(ns);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new GasException("interrupted while a connection is opened", e);
        }
    }

    /** See {@link Links#connectTo(int, long)}. */
    ServerLink connectTo(int node, long contiguousBytes) {
        ServerLink link = connectTo(node);
        // The thread that holds the lock already has begun something on the link.
        if (directLinks == null || route.firstHop(node) == node || lock.getHoldCount() > 1) {
            return link;
        }
        long nowNs = clockNs.getAsLong();
        boolean wantsDirect = directLinks.noteUse(node, contiguousBytes, nowNs);
        ServerLink direct = directLinks.link(node);
        if (wantsDirect && direct == link || !wantsDirect && direct == null) {
            return link;
        }
        if (!wantsDirect && direct != link) {
            directLinks.close(node); // nothing has taken it
            return link;
        }
        if (!link.isQuietAfterPoll() && !directLinks.tryBeginWait(nowNs)) {
            return link;
        }
        if (direct == null && openDirect(node, nowNs) == null) {
            return connectTo(node);
        }
        link = connectTo(node); // others may have had the lock meanwhile
        if (!link.isQuietAfterPoll()) {
            awaitExecuted(link);
        }
        return current.get(node) == link && link.isQuietAfterPoll() ? change(node, link, wantsDirect)
            : connectTo(node);
    }

    /** Nothing is under way on {@code link}, where requests for the node go. */
    private ServerLink change(int node, ServerLink link, boolean wantsDirect) {
        ServerLink direct = directLinks.link(node);
        if (!wantsDirect && direct == link) {
            current.remove(node);
            directLinks.close(node);
        } else if (wantsDirect && direct != null) {
            current.put(node, direct);
        }
        return connectTo(node);
    }

    /** Gives the lock, which is held once, away meanwhile. */
    private void awaitExecuted(ServerLink link) {
        Awaited executed = link.fenceEverything();
        lock.unlock();
        try {
            waitLoop.await(executed, link);
        } finally {
            lock.lock();
        }
    }

    /** Opens a direct connection to a node, on which nothing goes yet; null when there is none to be had now. */
    private ServerLink openDirect(int node, long nowNs) {
        refuseWhenClosed();
        if (!directLinks.tryMakeRoom(current)) {
            return null;
        }
        Connector.Admitted admitted = null;
        try {
            admitted = withoutLock(node, () -> connector.openDirect(node));
            if (closed && admitted != null) {
                adopter.turnAway(node, admitted, true);
            }
            refuseWhenClosed();
        } finally {
            directLinks.openingEnded();
        }
        if (admitted == null) {
            directLinks.refused(node, nowNs);
            return null;
        }
        ServerLink link = adopter.adopt(node, admitted, directLinks.takeRetired());
        link.setRoute(connectToServer(route.firstHop(node)));
        directLinks.opened(node, link, nowNs);
        return link;
    }

    /** The server of a node is contended. */
    void takeRoute(int node) {
        directLinks.refused(node, clockNs.getAsLong());
    }

    /** Opens no more; waits for those that are being opened, so that their servers hear a goodbye. */
    void close(long timeoutNs) {
        closed = true;
        connector.end();
        opened.signalAll();
        boolean unused = Uninterrupted.await(timeoutNs, leftNs -> {
            long stillNs = leftNs;
            while (attempts > 0 && stillNs > 0) {
                stillNs = opened.awaitNanos(stillNs);
            }
            return attempts == 0;
        });
    }
}

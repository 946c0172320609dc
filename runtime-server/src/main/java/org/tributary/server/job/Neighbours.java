package org.tributary.server.job;

import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.agrona.collections.Int2ObjectHashMap;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.server.observe.GuardedTasks;
import org.tributary.wire.Membership;

/**
 * The connections of a server with its neighbours in the {@link ServerTree}: one to the server above, which it opens,
 * and those of the servers below. Owned by the event loop.
 */
public final class Neighbours implements ServerTree.Messages {
    /** Hears of them, and from them. */
    public interface Listener {
        /** The job has failed; {@code from} is the neighbour that says so, or -1. */
        void abort(String reason, int from);

        /** Every rank of the job has left, says the neighbour {@code from}. */
        void shutdown(int from);

        /** The server of a node is gone, before the end of the job. */
        void lostServer(int other, String how);

        /** This server cannot go on. */
        void failed(Throwable cause);

        /** A neighbour has been told, or is no more: the end may have waited for that. */
        void neighboursTold();
    }

    /** A neighbour that runs says within this time that it has heard; one that does not is perhaps stopped. */
    private static final long ECHO_NS = TimeUnit.SECONDS.toNanos(1);

    private final JobEnvironment job;
    private final Settings settings;
    private final Membership membership;
    private final GuardedTasks tasks;
    private final ServerTree tree;
    private final Int2ObjectHashMap<Member> below = new Int2ObjectHashMap<>();
    private Runnable makeRoom = () -> { };
    private Listener life;
    private Uplink uplink;
    private Bypass bypass;
    private int unsent;
    private boolean mayTell;

    public Neighbours(JobEnvironment job, Settings settings, Membership membership, EventLoop loop) {
        this.job = job;
        this.settings = settings;
        this.membership = membership;
        this.tasks = new GuardedTasks(loop, cause -> life.failed(cause));
        this.tree = new ServerTree(job.node(), job.topology().nodeCount(), this);
    }

    /** {@code room}: has connections of strangers closed, for another attempt to connect. Before {@link #join}. */
    public void onShortageOfFiles(Runnable room) {
        makeRoom = room;
    }

    public ServerTree tree() {
        return tree;
    }

    /** Begins to look for them; the job ends unless all have been found in time. Called by any thread, once. */
    public void join(Listener ofJob) {
        life = ofJob;
        // A launcher tells of the addresses when all servers are ready, for which it gives them attach.timeout.
        long timeoutNs = (job.supervised() ? 2 : 1) * settings.attachTimeoutNs();
        if (tree.parent() >= 0) {
            // Not on the loop: where there is no thread for it, the server that starts is to say so, and to end.
            uplink = new Uplink(job, settings, membership, tree.parent(), tasks, timeoutNs, new Above());
            uplink.start();
        }
        tasks.execute(() -> Patience.begin(tasks, timeoutNs, () -> tree.awaited().length > 0,
            () -> endUnlessAllAreHere(timeoutNs)));
    }

    private void endUnlessAllAreHere(long timeoutNs) {
        for (int awaited : tree.awaited()) {
            if (awaited != tree.parent()) {
                life.abort("the communication server of node " + awaited + " has not connected to that of node "
                    + job.node() + " within " + timeoutNs / 1e9 + " s of the latter's start; start all servers, or"
                    + " raise attach.timeout", -1);
            }
        }
    }

    /** Takes the messages of the server above, and the end of the connection to it. */
    private final class Above implements Uplink.Listener {
        @Override
        public void opened() {
            tree.opened(tree.parent());
            life.neighboursTold();
        }

        @Override
        public void aborted(String reason) {
            life.abort(reason, tree.parent());
        }

        @Override
        public void shutdown() {
            life.shutdown(tree.parent());
        }

        @Override
        public void lost(String how) {
            closed(tree.parent(), how);
        }

        @Override
        public void filesAreShort() {
            makeRoom.run();
        }

        @Override
        public void notFound(String problem) {
            life.abort("node " + job.node() + " has no connection to the communication server of node "
                + tree.parent() + ": " + problem, -1);
        }
    }

    /** Why the server of that node is not to be admitted, or null. */
    String problemWith(int child) {
        return !tree.isBelow(child) ? "node " + child + " is not below node " + job.node() + " in the tree of servers"
            : !tree.isAwaited(child) ? "node " + child + " has connected before" : null;
    }

    /** A server below has connected. */
    void opened(Member session) {
        below.put(session.rank(), session);
        tree.opened(session.rank());
    }

    /** The connection of a server below is no more. */
    void closed(Member session) {
        below.remove(session.rank());
        closed(session.rank(), session.problem() == null ? "its connection to node " + job.node() + " closed"
            : session.problem());
    }

    private void closed(int neighbour, String how) {
        if (tree.closed(neighbour)) {
            life.lostServer(neighbour, how);
        }
        life.neighboursTold();
    }

    /**
     * Whether no neighbour has to be told anything any more, neither those that are connected nor those that may still
     * come.
     */
    boolean haveHeard() {
        return isTold() && tree.awaited().length == 0;
    }

    /** Whether all connected neighbours have been told and pass the news on, or this server has gone around them. */
    boolean isTold() {
        return unsent == 0 && (!mayTell || tree.unheard().length == 0);
    }

    /** The job has ended, and neighbours have been told: finds after a while those that have not heard. */
    void awaitEcho(ByteBuffer news) {
        mayTell = true;
        tasks.after(ECHO_NS, () -> goAround(news));
    }

    private void goAround(ByteBuffer news) {
        int[] silent = tree.unheard();
        if (silent.length == 0) {
            mayTell = false;
        } else {
            bypass = new Bypass(job, settings, tree::around, news);
            bypass.goAround(silent).whenComplete((done, failure) -> tasks.execute(() -> {
                mayTell = false;
                life.neighboursTold();
            }));
        }
    }

    @Override
    public void subtreeLeft(int parent) {
        uplink.send(PeerMessages.subtreeLeft(job.node()));
    }

    @Override
    public void shutdown(int neighbour) {
        send(neighbour, PeerMessages.shutdown());
    }

    @Override
    public void abort(int neighbour, String reason) {
        send(neighbour, PeerMessages.abort(job.node(), reason));
    }

    private void send(int neighbour, ByteBuffer frame) {
        if (neighbour == tree.parent()) {
            uplink.send(frame);
            return;
        }
        unsent++;
        GuardedTasks.Task whenSent = tasks.task(() -> {
            unsent--;
            life.neighboursTold();
        });
        below.get(neighbour).context().writeAndFlush(Unpooled.wrappedBuffer(frame)).addListener(sent -> whenSent.run());
    }

    /** This server ends. */
    void disconnect() {
        if (uplink != null) {
            uplink.close();
        }
        if (bypass != null) {
            bypass.close();
        }
    }
}

package org.tributary.server.job;

import io.netty.channel.EventLoop;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Topology;
import org.tributary.server.frame.HandshakeWriter;
import org.tributary.server.frame.MalformedFrameException;
import org.tributary.server.memory.NodeMemory;
import org.tributary.server.observe.GuardedTasks;
import org.tributary.server.observe.ServerLog;
import org.tributary.wire.Handshake;
import org.tributary.wire.codec.RefusalCode;
import org.tributary.wire.codec.Role;
import org.tributary.wire.shm.DamagedMemoryException;
import org.tributary.wire.shm.MemoryFaults;

/**
 * From the first rank's arrival to the end of the job. A rank that says goodbye has left; one whose connection breaks
 * without it has died, and with it the job: every rank of the node is told over its lifeline, every other server
 * through the {@link ServerTree}. Servers end together, when the server of node 0 has heard that every node's ranks
 * have left. Owned by the event loop.
 */
public final class JobLife implements Neighbours.Listener {
    /** How a job ended: cleanly when every rank has left, otherwise with a reason. */
    public record End(boolean clean, String reason) {
    }

    /** Actions elsewhere at the end of a rank, and at that of the job. */
    public interface Departures {
        /** A rank has left, or is dead: it waits for nothing any more, and what it holds goes to others. */
        void rankGone(int rank);

        void allLeft();
    }

    /**
     * A rank's own server tells everyone why it ended. Most ranks that break their connection to another server have
     * been told of the death of another process, which is the better reason.
     */
    private static final long OWN_SERVER_FIRST_NS = TimeUnit.SECONDS.toNanos(1);

    private final JobEnvironment job;
    private final NodeMemory memory;
    private final ServerLog log;
    private final Departures departures;
    private final Neighbours neighbours;
    private final GuardedTasks tasks;
    private final long graceNs;
    private final CompletableFuture<End> termination = new CompletableFuture<>();
    private final Attendance attendance;
    private final long tellNs;
    /** Read by other loops, too. */
    private volatile boolean aborted;
    private volatile boolean allLeft;
    private boolean peersTold;
    private boolean graceIsOver;
    private boolean neighboursAreLate;
    private String abortReason = "";

    /** {@code tellNs} is how long a neighbour that cannot be reached may hold up the end of this server. */
    public JobLife(JobEnvironment job, NodeMemory memory, ServerLog log, Neighbours neighbours, Departures departures,
        EventLoop loop, long graceNs, long tellNs) {
        this.job = job;
        this.memory = memory;
        this.log = log;
        this.departures = departures;
        this.neighbours = neighbours;
        this.tellNs = tellNs;
        this.tasks = new GuardedTasks(loop, this::failed);
        this.graceNs = graceNs;
        this.attendance = new Attendance(job.node(), topology().rankCount(job.node()), memory);
    }

    private Topology topology() {
        return job.topology();
    }

    /** How the job ended, once this server needs to stay no longer. */
    public CompletableFuture<End> termination() {
        return termination;
    }

    /** Why the other side cannot be admitted, or null. Any loop, for a rank of another node. */
    public Handshake.Refusal problemWith(Role role, int rank) {
        boolean isTold = aborted && role == Role.NEIGHBOUR; // a late one
        boolean isServer = role == Role.SERVER || role == Role.CHANNEL || role == Role.NEIGHBOUR;
        boolean isOwn = role == Role.LOCAL_RANK || role == Role.LIFELINE;
        int members = isServer ? topology().nodeCount() : topology().rankCount();
        if (rank < 0 || rank >= members) {
            return wrongRank("number " + rank + " does not exist, there are " + members
                + (isServer ? " nodes" : " ranks"));
        }
        if (isOwn && !memory.isLocal(rank)) {
            return wrongRank("rank " + rank + " is not on node " + job.node());
        }
        if (allLeft && !aborted && isOwn) {
            return wrongRank("rank " + rank + " has attached already, as all have, and left");
        }
        if (isOver() && !isTold) {
            return new Handshake.Refusal(RefusalCode.ENDING, "the job is ending" + (aborted ? ": " + abortReason : ""));
        }
        return switch (role) {
            case LOCAL_RANK, LIFELINE -> wrongRank(attendance.attachedBefore(role, rank));
            case REMOTE_RANK, DIRECT_RANK ->
                wrongRank(memory.isLocal(rank) ? "rank " + rank + " is on this node" : null);
            case SERVER, CHANNEL -> null;
            case NEIGHBOUR -> wrongRank(neighbours.problemWith(rank));
            case NULL_VAL -> wrongRank("unknown role");
        };
    }

    private static Handshake.Refusal wrongRank(String detail) {
        return detail == null ? null : new Handshake.Refusal(RefusalCode.WRONG_RANK, detail);
    }

    /**
     * A peer has been admitted, and may not know it yet. A rank has attached as soon as it knows that its lifeline is
     * admitted; what it sends on its other connections may be read before the lifeline's Joined.
     */
    public void admitted(Member session) {
        if (session.role() == Role.LIFELINE) {
            attendance.lifelineAdmitted(session);
        }
    }

    /**
     * A peer that was admitted knows it, and counts from now on. A server that was stopped also admits peers that have
     * given up long ago; their end means nothing.
     *
     * @throws MalformedFrameException when another one has taken its place meanwhile
     */
    public void joined(Member session) {
        String taken = switch (session.role()) {
            case LOCAL_RANK, LIFELINE -> attendance.attachedBefore(session.role(), session.rank());
            case NEIGHBOUR -> neighbours.problemWith(session.rank());
            default -> null;
        };
        if (taken != null) {
            throw new MalformedFrameException(taken);
        }
        if (session.role() == Role.LIFELINE) {
            attendance.lifelineJoined(session);
            if (aborted) {
                tell(session);
            }
        } else if (session.role() == Role.LOCAL_RANK) {
            attendance.rankJoined(session);
        } else if (session.role() == Role.NEIGHBOUR) {
            neighbours.opened(session);
        }
    }

    /** For jobs without a launcher, which knows better: ends the job unless every rank of the node attaches in time. */
    public void expectRanks(long timeoutNs) {
        Patience.begin(tasks, timeoutNs, () -> !attendance.areAllThere(), () -> endUnlessAllHaveAttached(timeoutNs));
    }

    private void endUnlessAllHaveAttached(long timeoutNs) {
        if (!attendance.areAllThere()) {
            abort(attendance.describeMissing(timeoutNs) + "; start all ranks, or raise attach.timeout", -1);
        }
    }

    /**
     * A rank leaves in good order: over its own connection to this server it leaves the job. On its lifeline it only
     * says that it does, because the goodbye may wait behind its requests for longer than the rank stays.
     */
    public void goodbye(Member session) {
        if (session.role() == Role.LIFELINE) {
            attendance.announced(session);
            return;
        }
        if (session.hasLeft()) {
            throw new MalformedFrameException("goodbye of rank " + session.rank() + ", which has left already");
        }
        if (session.role() == Role.CHANNEL) {
            session.markLeft();
        } else if (session.isOfRemoteRank()) {
            session.markLeft();
            departures.rankGone(session.rank());
        } else if (session.role() == Role.LOCAL_RANK) {
            attendance.leaves(session);
            departures.rankGone(session.rank());
            if (attendance.departed(session.rank())) {
                neighbours.tree().ranksLeft();
                endIfAllHaveLeft();
            }
        }
    }

    /**
     * Whether what a connection has brought counts when it has ended before that could be executed, so that its goodbye
     * may be among it. The death of a rank of this node is noticed at once nevertheless: by the end of its lifeline.
     * Any loop, for a rank of another node.
     */
    public boolean outlives(Member session) {
        return !isOver() && (session.role() == Role.LOCAL_RANK ? attendance.mayHaveLeft(session)
            : session.role() != Role.LIFELINE);
    }

    /** A rank could not complete its attachment: it has not attached, and may try again. */
    public void withdrawn(Member session) {
        if (session.hasLeft()) {
            throw new MalformedFrameException("withdrawal of rank " + session.rank() + ", which has left already");
        }
        attendance.withdrawn(session);
    }

    /** The ranks of a node below, and of those below it, have all left. */
    public void leftBelow(Member session, int other) {
        if (session.role() != Role.NEIGHBOUR || other != session.rank()) {
            throw new MalformedFrameException("node " + other + " has left, says a " + session.role() + " of node "
                + session.rank());
        }
        neighbours.tree().leftBelow(other);
        endIfAllHaveLeft();
    }

    private void endIfAllHaveLeft() {
        if (neighbours.tree().isOver() && !isOver()) {
            shutdown(-1);
        }
    }

    /** Whether the job has ended, one way or the other. Any loop. */
    public boolean isOver() {
        return aborted || allLeft || termination.isDone();
    }

    @Override
    public void lostServer(int other, String how) {
        String reason = "the communication server of node " + other + " is gone: " + how;
        tasks.after(OWN_SERVER_FIRST_NS, () -> abort(reason, -1));
    }

    /**
     * Every rank of the job has left.
     *
     * @param from the neighbour that says so, or -1
     */
    @Override
    public void shutdown(int from) {
        if (isOver()) {
            heardFrom(from);
            return;
        }
        allLeft = true;
        neighbours.awaitEcho(PeerMessages.shutdown());
        neighbours.tree().shutdown(from);
        departures.allLeft();
        tasks.after(graceNs, this::endOfGrace);
        neighboursTold();
    }

    /** A neighbour knows of the end, which this server has told it, or it this server. */
    private void heardFrom(int neighbour) {
        if (neighbour >= 0) {
            neighbours.tree().heard(neighbour);
            neighboursTold();
        }
    }

    /** Ranks are waited for no longer; neighbours only until the servers behind them have been told by others. */
    private void endOfGrace() {
        graceIsOver = true;
        if (neighbours.isTold()) {
            terminate();
        }
    }

    @Override
    public void neighboursTold() {
        if ((allLeft || graceIsOver) && neighbours.isTold()) {
            terminate();
        } else if (aborted && (neighboursAreLate ? neighbours.isTold() : neighbours.haveHeard())) {
            peersTold = true;
            endIfNobodyIsLeft();
        }
    }

    /** A peer has gone without having joined: that means nothing, but the end of this server may have waited for it. */
    public void givenUp(Member session) {
        if (attendance.givenUp(session) && aborted) {
            endIfNobodyIsLeft();
        }
    }

    /** The connection of a peer that had joined is no more. Without a goodbye, the peer has died, and the job fails. */
    public void closed(Member session) {
        if (attendance.isLifeline(session)) {
            attendance.lifelineClosed(session);
        } else if (session.role() == Role.NEIGHBOUR) {
            neighbours.closed(session);
            return;
        }
        if (aborted) {
            if (session.role() == Role.LOCAL_RANK || session.isOfRemoteRank()) {
                gone(session.rank());
            }
            endIfNobodyIsLeft();
        } else if (!session.hasLeft()) {
            broken(session);
        }
    }

    private void broken(Member session) {
        switch (session.role()) {
            case LOCAL_RANK, LIFELINE -> {
                // A lifeline may be admitted and break after its rank has given up to attach.
                if (!attendance.hasWithdrawn(session.rank())) {
                    lost(session.rank());
                }
            }
            case REMOTE_RANK -> {
                gone(session.rank());
                String reason = "rank " + session.rank() + " (node " + topology().nodeOf(session.rank())
                    + ") broke its connection to node " + job.node() + " without leaving the job"
                    + (session.problem() == null ? "" : ": " + session.problem());
                tasks.after(OWN_SERVER_FIRST_NS, () -> abort(reason, -1));
            }
            case CHANNEL -> lostServer(session.rank(), "its channel to node " + job.node() + " closed"
                + (session.problem() == null ? "" : ": " + session.problem()));
            default -> { } // a direct one may go at any time: the rank, or its own server, knows why
        }
    }

    /**
     * Gives the locks of a rank to the next ones; a word that is damaged, or gone, or any other fault, does not hold up
     * the end of the job.
     */
    private void gone(int rank) {
        try {
            departures.rankGone(rank);
            MemoryFaults.surface();
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    /** A connection of a rank or a server has brought bytes that are no record of its stream. */
    public void tampered(Member session) {
        abort("the connection of " + sender(session) + " to node " + job.node() + " broke: "
            + session.problem(), -1);
    }

    private String sender(Member session) {
        return session.isOfServer() ? "the communication server of node " + session.rank()
            : session.isAdmitted() ? "rank " + session.rank() + " (node " + topology().nodeOf(session.rank()) + ")"
            : "somebody who is not admitted yet";
    }

    private void lost(int rank) {
        long pid = attendance.died(rank);
        gone(rank);
        abort("rank " + rank + " (node " + job.node() + ", pid " + pid
            + ") ended without leaving the job", -1);
    }

    /**
     * Ends the job with an error; the first reason counts.
     *
     * @param from the neighbour that says so, or -1
     */
    @Override
    public void abort(String reason, int from) {
        if (isOver()) {
            heardFrom(from);
            return;
        }
        aborted = true;
        abortReason = reason;
        try {
            abortReason = withCause(reason);
            tell(abortReason, from);
        } catch (RuntimeException | Error e) {
            terminate(); // the end of this server tells the others
        }
    }

    /** The loop that moves data has ended, or goes on no more: nobody can be told. Called by any thread. */
    public void stopped(String reason) {
        termination.complete(new End(false, withCause(reason)));
    }

    /** The reason, with a truncated file as its cause if there is one: such a file explains any other failure. */
    private String withCause(String reason) {
        String problem = memory.segments().mapped().problem();
        return problem == null || reason.contains(problem) ? reason : problem + " (" + reason + ")";
    }

    /** This server cannot go on: its memory is damaged or gone, or it has a fault. */
    @Override
    public void failed(Throwable cause) {
        failed("", cause);
    }

    /** The same, met while something was done for somebody. */
    public void failed(Member session, Throwable cause) {
        failed(" with " + sender(session), cause);
    }

    private void failed(String with, Throwable cause) {
        abort("the communication server of node " + job.node() + " cannot go on" + with + ": "
            + (cause instanceof DamagedMemoryException ? cause.getMessage() : cause), -1);
    }

    private void tell(String reason, int from) {
        log.ended(reason);
        attendance.forEachLifeline(this::tell);
        neighbours.awaitEcho(PeerMessages.abort(job.node(), reason));
        neighbours.tree().abort(reason, from);
        tasks.after(graceNs, this::endOfGrace);
        tasks.after(Math.min(graceNs, tellNs), () -> {
            peersTold = neighbours.isTold();
            neighboursAreLate = true;
            endIfNobodyIsLeft();
        });
        neighboursTold();
    }

    private void tell(Member lifeline) {
        new HandshakeWriter(lifeline.context()).abort(lifeline.rank(), job.node(), abortReason);
    }

    /** Closes the connections with other servers: this one ends. */
    public void disconnect() {
        neighbours.disconnect();
    }

    private void endIfNobodyIsLeft() {
        if (peersTold && attendance.isNobodyHere()) {
            terminate();
        }
    }

    private void terminate() {
        termination.complete(aborted ? new End(false, abortReason)
            : new End(true, "every rank has left"));
    }
}

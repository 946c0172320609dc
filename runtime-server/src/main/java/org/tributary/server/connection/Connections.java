package org.tributary.server.connection;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.server.io.ServerIo;
import org.tributary.server.job.JobLife;
import org.tributary.server.job.Member;
import org.tributary.server.memory.NodeMemory;
import org.tributary.server.observe.ServerLog;
import org.tributary.server.observe.ServerMetrics;
import org.tributary.server.relay.Cooperation;
import org.tributary.wire.Membership;
import org.tributary.wire.codec.Role;

/**
 * The connections of one event loop of a server that have proved themselves, and what each of them needs. Owned by that
 * loop, except for what belongs to the main one.
 *
 * @param main        of the main loop, which owns the state of the node and of the job
 * @param membership  what makes this server part of its job
 * @param cooperation this server's part in the cooperation of nodes; null when requests come directly to it
 * @param rings       where ranks of the node hand over requests; null when they do so over connections
 * @param blocks      where ranks of other nodes may write requests; null when all come over connections
 */
public record Connections(JobEnvironment job, Settings settings, Membership membership, NodeMemory memory,
    ServerIo main, ServerIo io, JobLife life, Cooperation cooperation, Rings rings, RequestBlocks blocks,
    Set<Member> members) {
    /** Those of the main loop. */
    public Connections(JobEnvironment job, Settings settings, Membership membership, NodeMemory memory, ServerIo io,
        JobLife life, Cooperation cooperation, Rings rings, RequestBlocks blocks) {
        this(job, settings, membership, memory, io, io, life, cooperation, rings, blocks, none());
    }

    private static Set<Member> none() {
        return Collections.newSetFromMap(new IdentityHashMap<>());
    }

    /** Those of another loop, still without any. */
    public Connections of(ServerIo otherLoop) {
        return new Connections(job, settings, membership, memory, main, otherLoop, life, cooperation, rings, blocks,
            none());
    }

    boolean areOfMain() {
        return io == main;
    }

    /**
     * Whether any loop may serve connections of that role: of ranks that bring much, and need little of what the main
     * loop owns. Where nodes cooperate that loop forwards, and where it has blocks it reads these.
     */
    public boolean anyLoopServes(Role role) {
        return role == Role.REMOTE_RANK && cooperation == null && blocks == null;
    }

    /** Has the main loop do something with the job: at once when this is that loop. */
    void onMain(Runnable work) {
        main.tasks().run(work);
    }

    ServerMetrics metrics() {
        return io.metrics();
    }

    ServerLog log() {
        return io.log();
    }

    /** The longest payload of a message on a connection; a server that passes requests on takes answers whole. */
    int maxPayload(Role role) {
        return role == Role.CHANNEL ? cooperation.maxPayload() : settings.messageMaxPayload();
    }

    /** A rank waits for nothing any more, here and where requests of it were passed on to. */
    public void rankGone(int rank) {
        memory.rankGone(rank);
        if (cooperation != null) {
            cooperation.rankGone(rank);
        }
    }

    /** This server leaves the job in good order. */
    public void sayGoodbye() {
        if (cooperation != null) {
            cooperation.sayGoodbye();
        }
    }

    /** Closes all of them, and those of the main loop with the channels to other servers: this one ends. */
    public void disconnect() {
        if (cooperation != null && areOfMain()) {
            cooperation.disconnect();
        }
        List.copyOf(members).forEach(member -> member.context().close());
    }
}

package org.tributary.simulator;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.agrona.collections.Int2IntHashMap;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.Long2ObjectHashMap;
import org.tributary.cooperation.DirectPaths;
import org.tributary.simulator.Op.Kind;
import org.tributary.simulator.Packet.Answer;

/** A rank: makes the steps of its program, one thread that sends and waits. */
final class SimulatedRank implements Pipe.Reader, RankSteps {
    /** One connection, and what is under way on it. */
    private static final class Link {
        private final Pipe pipe;
        private final ArrayDeque<Op> oneWay = new ArrayDeque<>();
        private final Long2ObjectHashMap<Op> answered = new Long2ObjectHashMap<>();
        private long acknowledged;

        Link(Pipe pipe) {
            this.pipe = pipe;
        }
    }

    private final Conditions conditions;
    private final Program program;
    private final Consumer<Op> history;
    private final IntFunction<SimulatedServer> servers;
    private final Costs costs;
    private final int rank;
    private final int node;
    private final DirectPaths paths;
    private final Int2ObjectHashMap<Link> routed = new Int2ObjectHashMap<>();
    private final Int2ObjectHashMap<Link> direct = new Int2ObjectHashMap<>();
    private final Int2ObjectHashMap<List<Op>> opening = new Int2ObjectHashMap<>();
    private final Int2IntHashMap numbers = new Int2IntHashMap(0);
    private final Int2IntHashMap underWay = new Int2IntHashMap(0);
    private long freeNs;
    private long nextId;
    private int steps;
    private int allUnderWay;
    private boolean awaitsAll;
    private Op awaited;
    private boolean hasStepped;
    private boolean isDead;

    SimulatedRank(Conditions conditions, int rank, Program program, Consumer<Op> history,
        IntFunction<SimulatedServer> servers) {
        this.conditions = conditions;
        this.rank = rank;
        this.program = program;
        this.history = history;
        this.servers = servers;
        costs = conditions.costs();
        node = conditions.topology().nodeOf(rank);
        paths = new DirectPaths(conditions.options());
    }

    void die() {
        isDead = true;
        for (Link link : links()) {
            link.pipe.breakOff(conditions);
        }
    }

    private List<Link> links() {
        List<Link> all = new ArrayList<>(routed.values());
        all.addAll(direct.values());
        return all;
    }

    void step() {
        if (isDead) {
            return;
        }
        freeNs = Math.max(freeNs, conditions.events().nowNs());
        hasStepped = false;
        awaitsAll = false;
        awaited = null;
        program.step(this);
        if (hasStepped) {
            steps++;
            goOnWhenComplete(freeNs);
        }
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int stepsMade() {
        return steps;
    }

    @Override
    public long nowNs() {
        return freeNs;
    }

    @Override
    public Op begin(Kind kind, int targetNode, long word, long operand, int payloadBytes) {
        Op op = new Op(kind, rank, targetNode, word, operand, payloadBytes);
        hasStepped = true;
        op.number = numbers.get(targetNode) + 1;
        numbers.put(targetNode, (int) op.number);
        op.issuedNs = freeNs;
        history.accept(op);
        count(targetNode, 1);
        allUnderWay++;
        List<Op> held = opening.get(targetNode);
        if (held != null) {
            held.add(op);
        } else if (!changesPath(op)) {
            send(op);
        }
        return op;
    }

    @Override
    public void await(Op op) {
        hasStepped = true;
        awaited = op;
    }

    @Override
    public void awaitAll() {
        hasStepped = true;
        awaitsAll = true;
    }

    @Override
    public void compute(long durationNs) {
        hasStepped = true;
        freeNs += durationNs;
    }

    /** Takes the other path to the target, if that is wanted and nothing is under way on this one. */
    private boolean changesPath(Op op) {
        int target = op.targetNode;
        if (!conditions.routes().cooperates() || target == node) {
            return false;
        }
        boolean wants = paths.noteUse(target, op.contiguousBytes, freeNs);
        // One connection opens at a time, as in a real rank: those that open are not counted as open yet.
        if (wants == paths.isDirect(target) || underWay.get(target) > 1 || wants && !opening.isEmpty()) {
            return false;
        }
        if (!wants) {
            close(target);
            return false;
        }
        int victim = paths.leastRecentlyUsed();
        if (victim >= 0) {
            if (underWay.get(victim) > 0) {
                return false;
            }
            close(victim);
        }
        List<Op> held = new ArrayList<>();
        held.add(op);
        opening.put(target, held);
        Link link = open(target);
        direct.put(target, link);
        Packet packet = new Packet();
        packet.opens = true;
        transmit(link, packet);
        return true;
    }

    private void close(int target) {
        Link link = direct.remove(target);
        paths.switched(target, false);
        Packet packet = new Packet();
        packet.closes = true;
        transmit(link, packet);
    }

    private Link open(int serverNode) {
        SimulatedServer server = servers.apply(serverNode);
        Pipe pipe = Pipe.connection(this, node, rank, server, serverNode);
        pipe.isRing = serverNode == node && conditions.options().hasRings();
        pipe.back.isRing = pipe.isRing;
        server.accept(pipe);
        return new Link(pipe);
    }

    private Link link(int target) {
        if (paths.isDirect(target)) {
            return direct.get(target);
        }
        int hop = conditions.routes().firstHop(rank, target);
        Link link = routed.get(hop);
        if (link == null) {
            link = open(hop);
            routed.put(hop, link);
        }
        return link;
    }

    private void send(Op op) {
        Link link = link(op.targetNode);
        long id = op.kind.isOneWay ? -1 : nextId++;
        if (op.kind.isOneWay) {
            link.oneWay.add(op);
        } else {
            link.answered.put(id, op);
        }
        List<Op> ops = new ArrayList<>(1);
        ops.add(op);
        Packet packet = new Packet();
        packet.requests.add(new Carried(ops, op.operand, id, op.kind.isOneWay));
        if (link.pipe.isBroken) {
            conditions.events().at(Math.max(freeNs, conditions.events().nowNs()), () -> failAll(link));
        } else {
            transmit(link, packet);
        }
    }

    private void transmit(Link link, Packet packet) {
        freeNs += link.pipe.isRing ? costs.ringNs() : costs.sendNs() + costs.bytesNs(packet.lengthInBytes());
        link.pipe.send(conditions, Math.max(freeNs, conditions.events().nowNs()), packet);
    }

    @Override
    public void arrived(Pipe pipe) {
        if (isDead) {
            return;
        }
        int server = pipe.fromNode;
        Link link = direct.get(server);
        boolean isDirect = link != null && link.pipe.back == pipe;
        if (!isDirect) {
            link = routed.get(server);
        }
        if (link == null || link.pipe.back != pipe) {
            return;
        }
        Packet packet = pipe.arrived.remove();
        long atNs = Math.max(freeNs, conditions.events().nowNs())
            + (pipe.isRing ? costs.ringNs() : costs.receiveNs() + costs.bytesNs(packet.lengthInBytes()));
        freeNs = atNs;
        for (Answer answer : packet.answers) {
            take(link, answer, atNs);
        }
        while (link.acknowledged < packet.acknowledged) {
            link.acknowledged++;
            complete(link.oneWay.remove(), atNs);
        }
        if (packet.refuses || packet.admits) {
            admission(server, packet.admits);
        }
        goOnWhenComplete(atNs);
    }

    private void take(Link link, Answer answer, long atNs) {
        if (answer.id() < 0) {
            long behind = -1 - answer.id() - link.acknowledged - 1;
            link.oneWay.stream().skip(behind).findFirst().orElseThrow().failedAt = answer.failedAt();
            return;
        }
        Op op = link.answered.remove(answer.id());
        if (op == null) {
            throw new AssertionError("rank " + rank + " gets an answer twice, or to nothing: " + answer);
        }
        op.value = answer.value();
        op.failedAt = answer.failedAt();
        complete(op, atNs);
    }

    private void admission(int server, boolean isAdmitted) {
        List<Op> held = opening.remove(server);
        if (isAdmitted) {
            paths.switched(server, true);
        } else {
            paths.refused(server, freeNs);
            if (held != null) {
                // Never admitted: there is nothing to close but the connection.
                Packet packet = new Packet();
                packet.closes = true;
                transmit(direct.remove(server), packet);
            }
        }
        if (held != null) {
            held.forEach(this::send);
        }
    }

    private void complete(Op op, long atNs) {
        if (op.isDone()) {
            throw new AssertionError(op + " completes twice");
        }
        op.doneNs = atNs;
        allUnderWay--;
        count(op.targetNode, -1);
    }

    private void count(int target, int change) {
        int now = underWay.get(target) + change;
        if (now == 0) {
            underWay.remove(target);
        } else {
            underWay.put(target, now);
        }
    }

    private void goOnWhenComplete(long atNs) {
        if (hasStepped && (awaited == null || awaited.isDone()) && (!awaitsAll || allUnderWay == 0)) {
            hasStepped = false;
            conditions.events().at(Math.max(freeNs, atNs), this::step);
        }
    }

    @Override
    public void broken(Pipe pipe) {
        for (Link link : links()) {
            if (link.pipe.back == pipe && !isDead) {
                failAll(link);
            }
        }
    }

    /** The server at the other end is lost: so is what is under way to it. */
    private void failAll(Link link) {
        long nowNs = Math.max(freeNs, conditions.events().nowNs());
        int server = link.pipe.back.fromNode;
        List<Op> held = opening.remove(server);
        if (held != null) {
            direct.remove(server);
            paths.refused(server, nowNs);
            held.forEach(this::send);
        }
        List<Op> lost = new ArrayList<>(link.oneWay);
        lost.addAll(link.answered.values());
        link.oneWay.clear();
        link.answered.clear();
        for (Op op : lost) {
            op.failedAt = op.failedAt < 0 ? server : op.failedAt;
            complete(op, nowNs);
        }
        goOnWhenComplete(nowNs);
    }
}

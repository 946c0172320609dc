package org.tributary.simulator;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.Long2ObjectHashMap;
import org.tributary.cooperation.Answers;
import org.tributary.cooperation.DirectAdmission;
import org.tributary.cooperation.Forwarder;
import org.tributary.cooperation.Intake;
import org.tributary.cooperation.Output;
import org.tributary.cooperation.Settling;
import org.tributary.simulator.Packet.Answer;
import org.tributary.wire.shape.ElementType;

/**
 * A server as its event loops see it: a turn takes what has arrived on every connection of the loop, executes or
 * forwards it, and then sends. The time that takes, and with it what arrives for the next turn, comes from
 * {@link Costs}. Loops beside the main one only move data of ranks of other nodes. They hand locks over to the main
 * one, which takes {@link Costs#ringNs} each way, and a turn.
 */
final class SimulatedServer implements Pipe.Reader, Output {
    private static final int HEADER_BYTES = 62;

    final int node;
    final TargetMemory memory;
    final Forwarder forwarder;
    private final Intake intake;
    private final Settling settling;
    private final Conditions conditions;
    private final IntFunction<SimulatedServer> servers;
    private final Costs costs;
    private final DirectAdmission admission;
    private final List<Pipe> sources = new ArrayList<>();
    private final List<Long2ObjectHashMap<Carried>> rings = new ArrayList<>();
    private final Int2ObjectHashMap<Pipe> peers = new Int2ObjectHashMap<>();
    private final ArrayDeque<Integer> connected = new ArrayDeque<>();
    private final ArrayDeque<Pipe> broken = new ArrayDeque<>();
    private final List<Pipe> direct = new ArrayList<>();
    private final List<Loop> loops = new ArrayList<>();
    private final Loop main;
    /** The one whose turn it is. */
    private Loop loop;
    private Packet message;
    private boolean isTimeUp;
    private long wakeNs;
    private boolean isDead;
    private long executed;

    /** An event loop. */
    private final class Loop {
        private final ArrayDeque<Pipe> ready = new ArrayDeque<>();
        private final ArrayDeque<Pipe> toSend = new ArrayDeque<>();
        private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
        /** Connections of ranks of other nodes. */
        private int connections;
        private boolean isRunning;
        private long turnNs;
        private long idleSinceNs;

        void kick() {
            if (!isRunning && !isDead) {
                isRunning = true;
                conditions.events().at(conditions.events().nowNs(), () -> turn(this));
            }
        }

        /** Another loop hands something over at the point of its turn that it has come to. */
        void give(Runnable task) {
            loop.turnNs += costs.ringNs();
            conditions.events().at(loop.turnNs, () -> {
                tasks.add(task);
                kick();
            });
        }

        private boolean hasWork() {
            return !ready.isEmpty() || !tasks.isEmpty()
                || this == main && (isTimeUp || !connected.isEmpty() || !broken.isEmpty());
        }
    }

    SimulatedServer(Conditions conditions, int node, IntFunction<SimulatedServer> servers) {
        this.conditions = conditions;
        this.node = node;
        this.servers = servers;
        costs = conditions.costs();
        memory = new TargetMemory(conditions);
        forwarder = new Forwarder(conditions.options(), this);
        intake = forwarder.intake();
        settling = forwarder.settling();
        admission = new DirectAdmission(conditions.options());
        for (int i = 0; i < conditions.loops(); i++) {
            loops.add(new Loop());
        }
        main = loops.getFirst();
        loop = main;
    }

    /** Takes a connection that somebody opens to this server. */
    void accept(Pipe pipe) {
        if (isDead) {
            pipe.breakOff(conditions);
            return;
        }
        if (pipe.fromRank >= 0 && pipe.fromNode != node) {
            pipe.loop = IntStream.range(0, loops.size()).boxed()
                .min(Comparator.comparingInt(number -> loops.get(number).connections)).orElseThrow();
            loops.get(pipe.loop).connections++;
        }
        int source = intake.openSource(pipe.fromRank < 0);
        pipe.source = source;
        if (source == sources.size()) {
            sources.add(pipe);
            rings.add(new Long2ObjectHashMap<>());
        } else {
            sources.set(source, pipe);
        }
    }

    /** The server is no more. */
    void die() {
        isDead = true;
        loops.forEach(each -> each.ready.clear());
        for (Pipe pipe : sources) {
            if (pipe != null) {
                pipe.breakOff(conditions);
            }
        }
        peers.values().forEach(pipe -> pipe.breakOff(conditions));
    }

    /** How many requests wait in the rings; 0 when all is done. */
    int waiting() {
        return rings.stream().mapToInt(Long2ObjectHashMap::size).sum();
    }

    @Override
    public void arrived(Pipe pipe) {
        if (!isDead && !pipe.isReady && !pipe.isHeld) {
            pipe.isReady = true;
            loops.get(pipe.loop).ready.add(pipe);
            loops.get(pipe.loop).kick();
        }
    }

    @Override
    public void broken(Pipe pipe) {
        if (!isDead) {
            broken.add(pipe);
            main.kick();
        }
    }

    private void turn(Loop its) {
        if (isDead) {
            return;
        }
        loop = its;
        long startNs = conditions.events().nowNs();
        loop.turnNs = startNs + (startNs - loop.idleSinceNs > costs.spinNs() ? costs.wakeNs() : 0);
        if (loop == main) {
            changes();
        }
        for (int i = loop.tasks.size(); i > 0; i--) {
            loop.tasks.remove().run();
        }
        int sources = 0;
        for (int i = loop.ready.size(); i > 0; i--) {
            Pipe pipe = loop.ready.remove();
            pipe.isReady = false;
            loop.turnNs += pipe.isRing ? costs.ringNs() : costs.readNs();
            long before = executed;
            read(pipe, startNs);
            sources += executed > before ? 1 : 0;
        }
        if (loop == main && isTimeUp) {
            isTimeUp = false;
            forwarder.timer(loop.turnNs);
        } else {
            forwarder.endOfTurn(loop.turnNs);
        }
        relieve(sources);
        while (!loop.toSend.isEmpty()) {
            flush(loop.toSend.remove());
        }
        loop.idleSinceNs = loop.turnNs;
        conditions.events().at(loop.turnNs, () -> {
            its.isRunning = false;
            if (its.hasWork()) {
                its.kick();
            }
        });
    }

    private void changes() {
        while (!connected.isEmpty()) {
            forwarder.connected(connected.remove());
        }
        while (!broken.isEmpty()) {
            lose(broken.remove());
        }
    }

    private void lose(Pipe pipe) {
        if (pipe.source >= 0) {
            intake.closeSource(pipe.source);
        } else {
            forwarder.lost(pipe.fromNode);
        }
    }

    private void relieve(int sources) {
        if (sources > 0) {
            admission.turn(sources);
        }
        if (!direct.isEmpty() && admission.isContended()) {
            direct.forEach(pipe -> reply(pipe).refuses = true);
            direct.clear();
        }
    }

    private void read(Pipe pipe, long nowNs) {
        while (!pipe.arrived.isEmpty() && !pipe.isHeld) {
            Packet packet = pipe.arrived.peek();
            if (pipe.source < 0) {
                answers(pipe, packet);
                pipe.arrived.remove();
            } else if (requests(pipe, packet, nowNs)) {
                pipe.arrived.remove();
            }
        }
        if (pipe.source >= 0 && !pipe.back.out.isEmpty()) {
            flush(pipe.back);
        }
    }

    /** Deals with the requests of a packet, and returns true, or as far as answers and rings allow. */
    private boolean requests(Pipe pipe, Packet packet, long nowNs) {
        if (packet.opens || packet.closes) {
            lane(pipe, packet);
        }
        boolean isChannel = pipe.fromRank < 0;
        while (packet.taken < packet.requests.size()) {
            Carried request = packet.requests.get(packet.taken);
            boolean isHere = request.op().targetNode == node;
            if (intake.holdIfBlocked(pipe.source)) {
                pipe.isHeld = true;
                return false;
            }
            packet.taken++;
            loop.turnNs += costs.requestNs() + costs.bytesNs(request.op().lengthInBytes);
            long position = isHere && !isChannel ? -1 : intake.place(pipe.source, request.op().lengthInBytes);
            if (isHere && loop != main && request.op().kind.isOfMutex()) {
                handOver(pipe, request);
                return packet.taken == packet.requests.size();
            }
            if (isHere) {
                execute(pipe, request, position);
            } else {
                forward(pipe, request, position, nowNs);
            }
            if (request.wantsAck()) {
                intake.wantAck(pipe.source);
            }
        }
        if (isChannel) {
            intake.wantAck(pipe.source);
        }
        return true;
    }

    private void lane(Pipe pipe, Packet packet) {
        if (packet.opens) {
            loop.turnNs += costs.connectNs();
            pipe.isDirect = admission.admit();
            reply(pipe).admits = pipe.isDirect;
            reply(pipe).refuses = !pipe.isDirect;
            if (pipe.isDirect) {
                direct.add(pipe);
            }
        }
        if (packet.closes) {
            if (pipe.isDirect) {
                admission.closed();
                direct.remove(pipe);
            }
            intake.closeSource(pipe.source);
        }
    }

    private void execute(Pipe pipe, Carried request, long position) {
        executed++;
        answer(pipe, request, position, memory.execute(request, pipe, this::granted));
    }

    /** The connection waits until it is executed, so its requests keep their order. */
    private void handOver(Pipe pipe, Carried request) {
        Loop its = loop;
        pipe.isHeld = true;
        main.give(() -> {
            main.turnNs += costs.requestNs();
            long value = memory.execute(request, pipe, this::granted);
            its.give(() -> handBack(pipe, request, value));
        });
    }

    private void handBack(Pipe pipe, Carried request, long value) {
        if (pipe.isBroken) {
            return;
        }
        answer(pipe, request, -1, value);
        if (request.wantsAck()) {
            intake.wantAck(pipe.source);
        }
        pipe.isHeld = false;
        if (!pipe.arrived.isEmpty()) {
            arrived(pipe);
        }
    }

    private void answer(Pipe pipe, Carried request, long position, long value) {
        Op op = request.op();
        intake.executedHere(pipe.source, position, op.kind.isOneWay);
        if (!op.kind.isOneWay && (!op.kind.waits() || value != TargetMemory.NOT_YET)) {
            granted(pipe, request.id(), op, value);
        }
    }

    private void granted(Pipe to, long id, Op op, long value) {
        Answer answer = new Answer(id, value, op.answerBytes, -1);
        Loop its = loops.get(to.loop);
        if (its == loop) {
            reply(to).answers.add(answer);
        } else {
            its.give(() -> {
                if (!to.isBroken) {
                    reply(to).answers.add(answer);
                }
            });
        }
    }

    private void forward(Pipe pipe, Carried request, long position, long nowNs) {
        Op op = request.op();
        intake.comesFrom(pipe.source, op.rank);
        rings.get(pipe.source).put(position, request);
        int next = conditions.routes().nextHop(node, op.targetNode);
        switch (op.kind) {
            case FETCH_AND_ADD -> intake.forwardFetchAndAdd(pipe.source, position, op.lengthInBytes, next,
                request.id(), 1, op.targetNode, op.word, Long.BYTES, request.operand(), nowNs);
            case ACCUMULATE -> intake.forwardAccumulate(pipe.source, position, op.lengthInBytes, next,
                HEADER_BYTES, op.lengthInBytes - HEADER_BYTES, ElementType.LONG, 1, 1, op.targetNode, op.word, nowNs);
            case PUT, UNLOCK -> intake.forwardOneWay(pipe.source, position, op.lengthInBytes, next, nowNs);
            default -> intake.forwardRequest(pipe.source, position, op.lengthInBytes, next, request.id(),
                op.replyBytes, nowNs);
        }
    }

    @Override
    public void joined(int intoSource, long intoPosition, int fromSource, long fromPosition) {
        rings.get(intoSource).get(intoPosition).ops().addAll(rings.get(fromSource).remove(fromPosition).ops());
    }

    private void answers(Pipe pipe, Packet packet) {
        for (Answer answer : packet.answers) {
            loop.turnNs += costs.requestNs() + costs.bytesNs(answer.bytes());
            Answers to = (source, id, prefix, width) -> reply(sources.get(source)).answers.add(
                new Answer(id, Answers.sum(answer.value(), prefix, width), answer.bytes(), answer.failedAt()));
            if (answer.id() < 0) {
                settling.refused(pipe.fromNode, -1 - answer.id(), to);
            } else {
                settling.answered(pipe.fromNode, answer.id(), to);
            }
        }
        if (packet.acknowledged >= 0) {
            loop.turnNs += costs.requestNs();
            settling.acknowledged(pipe.fromNode, packet.acknowledged);
        }
        if (packet.credit >= 0) {
            settling.credit(pipe.fromNode, packet.credit);
        }
    }

    private Packet reply(Pipe pipe) {
        if (pipe.back.out.isEmpty()) {
            loop.toSend.add(pipe.back);
        }
        return pipe.back.out;
    }

    private void flush(Pipe pipe) {
        Packet packet = pipe.takeOut();
        if (!packet.isEmpty()) {
            loop.turnNs += pipe.isRing ? costs.ringNs() : costs.writeNs();
            loop.turnNs += costs.bytesNs(packet.lengthInBytes());
            pipe.send(conditions, loop.turnNs, packet);
        }
    }

    @Override
    public void connect(int peer) {
        SimulatedServer other = servers.apply(peer);
        Pipe pipe = Pipe.connection(this, node, -1, other, peer);
        peers.put(peer, pipe);
        other.accept(pipe);
        if (!pipe.isBroken) {
            conditions.events().at(Math.max(loop.turnNs, conditions.events().nowNs()) + 4 * costs.latencyNs()
                + costs.connectNs(), () -> {
                    connected.add(peer);
                    main.kick();
                });
        }
    }

    @Override
    public void begin(int peer, int requests, long lengthInBytes) {
        message = new Packet();
    }

    @Override
    public void request(int peer, long ticket, int source, long position, int lengthInBytes) {
        Carried request = rings.get(source).remove(position);
        message.requests.add(new Carried(request.ops(), request.operand(), ticket, false));
    }

    @Override
    public void fetchAndAdd(int peer, long ticket, int source, long position, int lengthInBytes, long operand) {
        Carried request = rings.get(source).remove(position);
        message.requests.add(new Carried(request.ops(), operand, ticket, false));
    }

    @Override
    public void end(int peer) {
        loop.turnNs += costs.writeNs() + costs.bytesNs(message.lengthInBytes());
        peers.get(peer).send(conditions, loop.turnNs, message);
    }

    @Override
    public void sum(int intoSource, long intoPosition, int fromSource, long fromPosition, int payloadAt,
        int payloadLength, ElementType type) {
        Carried into = rings.get(intoSource).get(intoPosition);
        Carried from = rings.get(fromSource).remove(fromPosition);
        into.ops().addAll(from.ops());
        rings.get(intoSource).put(intoPosition,
            new Carried(into.ops(), into.operand() + from.operand(), into.id(), into.wantsAck()));
    }

    @Override
    public void acknowledge(int source, long executed) {
        reply(sources.get(source)).acknowledged = executed;
    }

    @Override
    public void credit(int source, long freed) {
        reply(sources.get(source)).credit = freed;
    }

    @Override
    public void unblocked(int source) {
        Pipe pipe = sources.get(source);
        if (pipe.isHeld) {
            pipe.isHeld = false;
            arrived(pipe);
        }
    }

    @Override
    public void released(int source) {
        rings.get(source).clear();
        sources.set(source, null);
    }

    @Override
    public void failed(int source, long requestId, int lostNode) {
        reply(sources.get(source)).answers.add(new Answer(requestId, 0, Op.VALUE_BYTES, lostNode));
    }

    @Override
    public void wakeAt(long timeNs) {
        wakeNs = timeNs;
        conditions.events().at(Math.max(timeNs, conditions.events().nowNs()), () -> {
            if (timeNs == wakeNs) {
                isTimeUp = true;
                main.kick();
            }
        });
    }
}

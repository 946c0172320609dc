package org.tributary.server.connection;

import io.netty.channel.ChannelHandlerContext;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.server.execute.AtOnce;
import org.tributary.server.execute.Completions;
import org.tributary.server.execute.FetchRequests;
import org.tributary.server.execute.PayloadSink;
import org.tributary.server.execute.RequestExecutor;
import org.tributary.server.execute.StateWork;
import org.tributary.server.execute.UncontendedMutexes;
import org.tributary.server.execute.UncontendedWindowLocks;
import org.tributary.server.execute.WindowRequests;
import org.tributary.server.frame.FrameReader;
import org.tributary.server.frame.MalformedFrameException;
import org.tributary.server.io.ChannelReplies;
import org.tributary.server.io.HandedReplies;
import org.tributary.server.io.ReplyWriter;
import org.tributary.server.io.Requester;
import org.tributary.server.job.Member;
import org.tributary.server.memory.HeldUp;
import org.tributary.server.memory.NodeMemory;
import org.tributary.server.memory.TakenWindowLocks;
import org.tributary.server.observe.RequestCounts;
import org.tributary.server.relay.Relay;
import org.tributary.server.relay.Source;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.GoodbyeDecoder;
import org.tributary.wire.codec.JoinedDecoder;
import org.tributary.wire.codec.Role;
import org.tributary.wire.codec.Templates;
import org.tributary.wire.shape.Accumulator;
import org.tributary.wire.shm.MemoryFaults;

/**
 * One connection of a rank or a server that has proved itself. Its requests are executed as soon as it has joined.
 * Owned by one event loop; what the main one tells of it, such as that it has left, is of that loop.
 */
final class Session implements FrameReader.Receiver, ControlRequests.Pause, HandOver.Owner, Member,
    Source {
    private final Connections connections;
    private final ChannelHandlerContext context;
    private final Runnable onUnblocked;
    private final Consumer<Throwable> onFailure;
    private final RequestCarrier carrier;
    private final StateWork.Request stateRequest = this::executeState;
    private ReplyWriter replies;
    private RequestExecutor executor;
    private StateWork work;
    /** Null on the main loop. */
    private HandOver handOver;
    private FetchRequests fetches;
    private WindowRequests windows;
    /** Null on the main loop, as is the next. */
    private UncontendedMutexes uncontended;
    private UncontendedWindowLocks uncontendedWindows;
    private ControlRequests control;
    private Requester requester;
    private Relay relay;
    private Role role = Role.NULL_VAL;
    private int rank = -1;
    private long pid;
    private int maxPayload;
    /** Whether the other side knows that it is admitted: only then its end means anything to others. */
    private boolean joined;
    private boolean executed;
    private boolean closed;
    private boolean left;
    private String problem;
    private boolean isWorkedFor;
    private HeldUpAt heldUpAt = HeldUpAt.NOTHING;
    /** Null until something is. */
    private HeldUp.Entry heldUp;

    /** Where this connection waits for a lock of accumulates. */
    private enum HeldUpAt { NOTHING, PAYLOAD, REQUEST }

    Session(Connections connections, ChannelHandlerContext context, Runnable onUnblocked,
        Consumer<Throwable> onFailure) {
        this.connections = connections;
        this.context = context;
        this.onUnblocked = onUnblocked;
        this.onFailure = onFailure;
        this.replies = new ReplyWriter(connections.io().replyBuffers(), context, onUnblocked);
        this.carrier = new RequestCarrier(connections, this);
    }

    @Override
    public ChannelHandlerContext context() {
        return context;
    }

    @Override
    public void goOn() {
        onUnblocked.run();
    }

    @Override
    public ReplyWriter replies() {
        return replies;
    }

    @Override
    public Requester requester() {
        return requester;
    }

    @Override
    public Role role() {
        return role;
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public long pid() {
        return pid;
    }

    /** The other side is admitted. */
    void admitted(Role admittedRole, int admittedRank, long itsPid) {
        pid = itsPid;
        role = admittedRole;
        rank = admittedRank;
        requester = role == Role.SERVER || role == Role.NEIGHBOUR ? Requester.server(rank) : Requester.rank(rank);
        if (role == Role.CHANNEL) {
            replies = new ChannelReplies(connections.io().replyBuffers(), context, onUnblocked, requester);
        }
        NodeMemory memory = connections.memory();
        Accumulator accumulator = new Accumulator(memory.accumulateLocks());
        boolean relays = connections.cooperation() != null
            && (role == Role.LOCAL_RANK || role == Role.REMOTE_RANK || role == Role.CHANNEL);
        maxPayload = connections.maxPayload(role);
        RequestCounts counts = connections.io().counts();
        if (connections.areOfMain()) {
            work = new AtOnce(replies, counts);
        } else {
            handOver = new HandOver(connections.main(), connections.io(),
                new HandedReplies(replies, connections.io().tasks(), connections.io().waiting()), this);
            work = handOver;
        }
        executor = new RequestExecutor(memory, counts, accumulator, replies,
            new Completions(memory, counts, replies, requester, work,
                handOver == null ? null : new TakenWindowLocks(rank)), requester, maxPayload);
        fetches = new FetchRequests(counts, replies, requester, executor, accumulator);
        if (handOver != null) {
            uncontended = new UncontendedMutexes(memory, counts, replies, requester, executor);
            uncontendedWindows = new UncontendedWindowLocks(memory, work, counts, replies, requester, executor,
                accumulator);
        }
        windows = new WindowRequests(memory, work, requester, executor, accumulator, uncontendedWindows);
        control = new ControlRequests(connections, this, handOver == null ? this : handOver, carrier, work, requester,
            executor);
        if (relays) {
            relay = new Relay(connections.cooperation(), this, executor);
        } else if (role == Role.DIRECT_RANK) {
            connections.cooperation().directRanks().opened(this);
        }
        connections.life().admitted(this);
    }

    /** Whether this is a connection of another server, whose number is that of its node. */
    @Override
    public boolean isOfServer() {
        return role == Role.CHANNEL || role == Role.NEIGHBOUR || role == Role.SERVER;
    }

    @Override
    public boolean isOfRemoteRank() {
        return role == Role.REMOTE_RANK || role == Role.DIRECT_RANK;
    }

    @Override
    public boolean isAdmitted() {
        return executor != null;
    }

    String describe() {
        String from = StrangerHandler.peerAddress(context.channel());
        return isAdmitted() ? role + " of " + (isOfServer() ? "node " : "rank ") + rank + " (" + from + ")"
            : StrangerHandler.describe(context.channel());
    }

    @Override
    public int maxFrame() {
        return joined ? maxPayload + FrameReader.MAX_CONTROL_BYTES : Frames.MAX_HANDSHAKE;
    }

    @Override
    public boolean holdIfBlocked() {
        return closed || isWorkedFor || isHandedOver() || isHeldUp() || replies.isBlocked()
            || relay != null && relay.holdIfBlocked();
    }

    @Override
    public void frame(UnsafeBuffer buffer, MemorySegment memory, int at, int template, int blockLength, int version,
        int payload) {
        if (carrier.isBlockDue()) {
            throw new MalformedFrameException("message " + template + " on a connection whose rank uses a channel");
        } else if (!joined) {
            join(template);
        } else if (relay != null) {
            relay.frame(buffer, memory, at, template, blockLength, version, payload);
        } else {
            execute(buffer, memory, at, template, blockLength, version, payload);
        }
    }

    private void join(int template) {
        if (template != JoinedDecoder.TEMPLATE_ID) {
            throw new MalformedFrameException("message " + template + " where Joined (" + JoinedDecoder.TEMPLATE_ID
                + ") was expected");
        }
        connections.life().joined(this);
        joined = true;
    }

    @Override
    public void execute(UnsafeBuffer buffer, MemorySegment memory, int at, int template, int blockLength, int version,
        int payload) {
        executed = true;
        if (!executor.execute(buffer, memory, at, template, blockLength, version, payload)
            && !fetches.execute(buffer, at, template, blockLength, version, payload)
            && !windows.hold(buffer, at, template, blockLength, version, payload)
            && !executeUncontended(buffer, at, template, blockLength, version)) {
            if (Templates.carriesPayload(template)) { // which has not come yet: there is nothing to hand over
                throw new MalformedFrameException("message " + template + " is no request");
            }
            work.execute(stateRequest, buffer, at, template, blockLength, version, payload);
        }
    }

    private boolean executeUncontended(UnsafeBuffer buffer, int at, int template, int blockLength, int version) {
        return uncontended != null && (uncontended.execute(buffer, at, template, blockLength, version)
            || uncontendedWindows.execute(buffer, at, template, blockLength, version));
    }

    /** On the main loop: what the rank has taken on its own. */
    private void tellTaken() {
        if (uncontended != null) {
            uncontended.tellMain();
            uncontendedWindows.tellMain();
        }
    }

    /** On the main loop. */
    private void executeState(UnsafeBuffer buffer, int at, int template, int blockLength, int version, int extra) {
        if (template == GoodbyeDecoder.TEMPLATE_ID) {
            tellTaken();
        }
        if (!windows.execute(buffer, at, template, blockLength, version)) {
            control.execute(buffer, at, template, blockLength, version, extra);
        }
    }

    @Override
    public int payload(MemorySegment memory, int at, int length) {
        if (relay != null && relay.isStoring()) {
            return relay.store(memory, at, length);
        }
        if (isHeldUp()) {
            return 0;
        }
        int taken = executor.sink().accept(memory, at, length);
        if (taken > 0) {
            gotOn();
        }
        if (executor.sink().isHeldUp()) {
            holdUp(HeldUpAt.PAYLOAD);
        }
        return taken;
    }

    private void holdUp(HeldUpAt where) {
        heldUpAt = where;
        if (heldUp == null) {
            heldUp = connections.io().heldUp().entry(this::tryAgain);
        }
        heldUp.later();
    }

    private void gotOn() {
        if (heldUp != null) {
            heldUp.gotOn();
        }
    }

    /** Whether a request of this connection is with the main loop: later ones keep their order and wait. */
    boolean isHandedOver() {
        return handOver != null && handOver.isPending();
    }

    @Override
    public void handedBack(boolean isDone, Throwable failure) {
        if (failure != null) {
            onFailure.accept(failure);
        } else if (!closed && !isDone) {
            holdUp(HeldUpAt.REQUEST);
        } else if (!closed) {
            gotOn();
            goOn();
            endBatchOfHandedBack();
        }
    }

    /** Of what follows, if that has been read already, the request that came back is a part. */
    private void endBatchOfHandedBack() {
        try {
            if (!closed) {
                endOfBatch();
            }
        } catch (RuntimeException | Error e) {
            onFailure.accept(e);
        }
    }

    @Override
    public void beginWork() {
        isWorkedFor = true;
    }

    @Override
    public void endWork(Runnable answer) {
        isWorkedFor = false;
        if (!closed) {
            answer.run();
            replies.flush();
            goOn();
        }
    }

    /** Whether this connection waits for a lock of accumulates: its later requests keep their order and wait, too. */
    @Override
    public boolean isHeldUp() {
        return heldUpAt != HeldUpAt.NOTHING;
    }

    private void tryAgain() {
        if (closed) {
            return;
        }
        HeldUpAt where = heldUpAt;
        heldUpAt = HeldUpAt.NOTHING;
        if (where == HeldUpAt.REQUEST) {
            try {
                payloadDone();
                if (isHeldUp()) {
                    return;
                }
                endOfBatch();
            } catch (RuntimeException | Error e) {
                onFailure.accept(e);
                return;
            }
        }
        goOn();
    }

    @Override
    public boolean isPayloadDone() {
        return relay != null && relay.isStoring() ? relay.isStored() : executor.sink().isDone();
    }

    @Override
    public void payloadDone() {
        if (relay != null) {
            relay.payloadDone();
        } else {
            executePayload();
        }
    }

    /** The payload of the request that is executed here is complete; it may be {@linkplain #isHeldUp held up}. */
    @Override
    public void executePayload() {
        boolean isDone = true;
        if (fetches.isHolding()) {
            isDone = fetches.payloadDone();
        } else if (windows.isHolding()) {
            isDone = windows.payloadDone();
        } else {
            executor.payloadDone();
        }
        if (!isDone) {
            holdUp(HeldUpAt.REQUEST);
        } else if (!isHandedOver()) {
            gotOn();
        }
    }

    /** Where payload goes that is read directly into a segment. */
    PayloadSink sink() {
        return executor.sink();
    }

    /** All that was read has been dealt with: answers. */
    void endOfBatch() {
        MemoryFaults.surface(); // before anything is sent, closed or put into a queue
        if (executed && connections.cooperation() != null) {
            connections.cooperation().served();
        }
        executed = false;
        if (relay != null) {
            relay.endOfBatch();
        } else if (isAdmitted() && !isHandedOver()) {
            executor.acknowledge(); // what is handed over is not done
        }
        replies.flush();
    }

    /** What carries the requests. */
    RequestCarrier carrier() {
        return carrier;
    }

    @Override
    public void markLeft() {
        left = true;
    }

    @Override
    public boolean hasLeft() {
        return left;
    }

    /** Why the connection breaks, as far as its host is the reason; null when it is not. */
    void broke(String why) {
        problem = problem == null ? why : problem;
    }

    @Override
    public String problem() {
        return problem;
    }

    /** Nothing more will be executed for this connection. */
    void finish() {
        closed = true;
        replies.flush();
        context.close();
    }

    /** Whether nothing more is executed. */
    boolean isClosed() {
        return closed;
    }

    /** The other side hears no more answers; what it has said before is still executed. */
    void unheard() {
        replies.discard();
    }

    void closed() {
        closed = true;
        replies.discard();
        if (relay != null) {
            relay.close();
        }
        if (executor != null) {
            executor.close();
        }
        if (role == Role.DIRECT_RANK) {
            connections.cooperation().directRanks().closed(this);
        }
        connections.members().remove(this);
        connections.onMain(this::tellClosed);
    }

    private void tellClosed() {
        tellTaken();
        if (joined) {
            connections.life().closed(this);
        } else {
            connections.life().givenUp(this);
        }
    }
}

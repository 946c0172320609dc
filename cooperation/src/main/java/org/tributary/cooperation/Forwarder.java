package org.tributary.cooperation;

import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.IntArrayList;
import org.tributary.aggregation.RequestQueue.Kind;
import org.tributary.config.CooperationMode;
import org.tributary.wire.shape.ElementType;

/**
 * The requests that pass through one server: where they wait, with which others they leave, whom their answers and
 * acknowledgements are for.
 * <p>
 * Order is kept from end to end: a source's requests arrive in order, those for one target wait in one queue, and the
 * target executes what one channel brings in order. What waits lies in the ring of its source, so a server never holds
 * more than its rings have room for. Owned by the event loop.
 */
public final class Forwarder {
    /** Bytes of an answer with one value. */
    private static final int VALUE_BYTES = 28;

    private final CooperationOptions options;
    private final Output output;
    private final boolean forwardsAtOnce;
    private final List<Source> sources = new ArrayList<>();
    private final IntArrayList freeSources = new IntArrayList();
    private final IntArrayList touched = new IntArrayList();
    private final Int2ObjectHashMap<Channel> channels = new Int2ObjectHashMap<>();
    private final List<Channel> active = new ArrayList<>();
    private final List<Channel> answered = new ArrayList<>();
    private final Waiters waiters = new Waiters();
    private final Tickets tickets = new Tickets();
    private long armedNs = Long.MAX_VALUE;
    private long requests;
    private long messages;
    private long combined;

    /** The requests of one server, which does what {@code output} is told. */
    public Forwarder(CooperationOptions options, Output output) {
        this.options = options;
        this.output = output;
        forwardsAtOnce = options.mode() == CooperationMode.FORWARD;
    }

    /**
     * Somebody comes who will hand over requests.
     *
     * @param isChannel whether it is the channel of another server, which is told its credit
     * @return its number, until {@link Output#released}
     */
    public int openSource(boolean isChannel) {
        Source source = new Source(isChannel, options.channelBytes());
        if (freeSources.isEmpty()) {
            sources.add(source);
            return sources.size() - 1;
        }
        int number = freeSources.removeAt(freeSources.size() - 1);
        sources.set(number, source);
        return number;
    }

    /** The next requests of the source are those of a rank. */
    public void comesFrom(int source, int rank) {
        sources.get(source).requester = rank;
    }

    /** The source is gone. What it has handed over goes on its way; answers are dropped. */
    public void closeSource(int source) {
        sources.get(source).isClosed = true;
        touch(source);
    }

    /**
     * Takes room in the source's ring for a request.
     *
     * @return where: bytes since the source came, modulo the size of the ring; -1 when there is no room, in which case
     *     {@link Output#unblocked} says when there is. A channel that has credit always finds room
     */
    public long place(int source, int lengthInBytes) {
        if (lengthInBytes > options.maxForwarded()) {
            throw new IllegalArgumentException("a request of " + lengthInBytes + " bytes is longer than "
                + options.maxForwarded() + ", half of cooperation.channel-bytes");
        }
        Source from = sources.get(source);
        long position = from.ring.place(lengthInBytes);
        from.refusedLength = position < 0 ? lengthInBytes : 0;
        return position;
    }

    /** This server itself has executed a request; {@code position} is -1 when it took no room. */
    public void executedHere(int source, long position, boolean isOneWay) {
        Source from = sources.get(source);
        if (isOneWay) {
            from.executed.executed(from.executed.issue());
        }
        if (position >= 0) {
            from.ring.release(position);
        }
        touch(source);
    }

    /** Passes on a request that has no answer of its own. */
    public void forwardOneWay(int source, long position, int lengthInBytes, int target, long nowNs) {
        enqueue(Kind.ONE_WAY, source, position, lengthInBytes, target, oneWayWaiter(source), nowNs);
    }

    /**
     * Passes on a request that is answered.
     *
     * @param replyBytes how long the answer will be; 0 when it may take a long time, as for a lock
     */
    public void forwardRequest(int source, long position, int lengthInBytes, int target, long requestId,
        int replyBytes, long nowNs) {
        enqueue(Kind.ANSWERED, source, position, lengthInBytes, target, waiter(source, requestId, 0, replyBytes),
            nowNs);
    }

    /** Passes on a fetch-and-add to a word of {@code width} bytes. */
    public void forwardFetchAndAdd(int source, long position, int lengthInBytes, int target, long requestId,
        long segmentId, int rank, long offset, int width, long operand, long nowNs) {
        Channel channel = channel(target);
        long mate = channel.combiner == null ? -1
            : channel.combiner.find(Kind.FETCH_AND_ADD, source, segmentId, rank, offset, width);
        if (mate >= 0) {
            long before = channel.queue.value(mate);
            owes(source, VALUE_BYTES);
            waiters.insertAfter(channel.queue.waiter(mate), source, sources.get(source).requester, requestId, before,
                VALUE_BYTES);
            channel.queue.value(mate, before + operand);
            output.joined(channel.queue.source(mate), channel.queue.position(mate), source, position);
            joined(channel, mate, source, position, nowNs);
            return;
        }
        long number = enqueue(Kind.FETCH_AND_ADD, source, position, lengthInBytes, target,
            waiter(source, requestId, 0, VALUE_BYTES), nowNs);
        offer(channel, number, Kind.FETCH_AND_ADD, segmentId, rank, offset, width, operand);
    }

    /**
     * Passes on a contiguous accumulate with {@code SUM} that completes nothing of a window.
     *
     * @param payloadAt where in the request its elements begin
     * @param scale the bits of the real part
     */
    public void forwardAccumulate(int source, long position, int lengthInBytes, int target, int payloadAt,
        int payloadLength, ElementType type, long scale, long segmentId, int rank, long offset, long nowNs) {
        Channel channel = channel(target);
        boolean isInteger = type == ElementType.INT || type == ElementType.LONG;
        // Of a complex scale only the real part is known here.
        boolean mayCombine = channel.combiner != null && (isInteger
            || options.reorderFloatingPoint() && (type == ElementType.FLOAT || type == ElementType.DOUBLE));
        long form = (long) type.ordinal() << Integer.SIZE | payloadLength;
        long mate = mayCombine
            ? channel.combiner.find(Kind.ACCUMULATE, source, segmentId, rank, offset, form) : -1;
        if (mate >= 0 && channel.queue.value(mate) == scale && channel.queue.length(mate) == lengthInBytes) {
            output.sum(channel.queue.source(mate), channel.queue.position(mate), source, position, payloadAt,
                payloadLength, type);
            Source from = sources.get(source);
            from.pending++;
            waiters.insertAfter(channel.queue.waiter(mate), source, from.requester, from.executed.issue(), 0, 0);
            joined(channel, mate, source, position, nowNs);
            return;
        }
        long number = enqueue(Kind.ACCUMULATE, source, position, lengthInBytes, target, oneWayWaiter(source), nowNs);
        if (mayCombine) {
            offer(channel, number, Kind.ACCUMULATE, segmentId, rank, offset, form, scale);
        }
    }

    /** The source asks for an acknowledgement of all that it has handed over. */
    public void wantAck(int source) {
        sources.get(source).want();
        touch(source);
    }

    /**
     * Whether no more of the source's requests should be read: too many answers are due to it, or, as only channels
     * have credit to keep to, its ring has no room for the longest request. {@link Output#unblocked} ends it.
     */
    public boolean isBlocked(int source) {
        Source from = sources.get(source);
        from.isHeld = mustWait(from);
        return from.isHeld;
    }

    private boolean mustWait(Source source) {
        return source.replyBytes > options.channelBytes()
            || !source.isChannel && !source.ring.hasRoom(options.maxForwarded());
    }

    /** All that was at hand has been handed over: sends what is not held, acknowledges, gives credit. */
    public void endOfTurn(long nowNs) {
        for (int i = 0; i < answered.size(); i++) {
            answered.get(i).turnEnds(nowNs);
        }
        answered.clear();
        long wakeNs = Long.MAX_VALUE;
        for (int i = active.size() - 1; i >= 0; i--) {
            Channel channel = active.get(i);
            long closesNs = forwardsAtOnce ? nowNs : channel.window.closesAt(nowNs, channel.isUnderWay());
            if (closesNs <= nowNs) {
                send(channel);
            } else {
                wakeNs = Math.min(wakeNs, closesNs);
            }
            if (channel.queue.isEmpty()) {
                channel.isActive = false;
                Channel last = active.removeLast();
                if (last != channel) {
                    active.set(i, last);
                }
            }
        }
        for (int i = 0; i < touched.size(); i++) {
            tell(touched.getInt(i));
        }
        touched.clear();
        if (wakeNs < armedNs || armedNs <= nowNs) {
            armedNs = wakeNs;
            if (wakeNs < Long.MAX_VALUE) {
                output.wakeAt(wakeNs);
            }
        }
    }

    /** The time given to {@link Output#wakeAt} has come. */
    public void timer(long nowNs) {
        armedNs = Long.MAX_VALUE;
        endOfTurn(nowNs);
    }

    /** The channel to a peer is open. */
    public void connected(int peer) {
        channel(peer).isConnected = true;
    }

    /** A peer says how many bytes of its ring it has freed. */
    public void credit(int peer, long freed) {
        channel(peer).credits.freed(freed);
    }

    /** A peer has executed so many one-way requests of the channel. */
    public void acknowledged(int peer, long executed) {
        Channel channel = channel(peer);
        if (executed > channel.issued()) {
            throw new IllegalArgumentException("node " + peer + " acknowledges " + executed + " requests of "
                + channel.issued());
        }
        while (channel.executed() < executed) {
            int waiter = channel.takeExecuted();
            while (waiter != Waiters.NONE) {
                answered(channel, waiter);
                executed(waiter);
                waiter = waiters.free(waiter);
            }
        }
    }

    /** The answer to a request has come: {@code answers} takes it to all who wait for it. */
    public void answered(long ticket, Answers answers) {
        int at = tickets.check(ticket);
        int width = tickets.width(at);
        Channel channel = channel(tickets.peer(at));
        int waiter = takeTicket(at);
        while (waiter != Waiters.NONE) {
            if (!sources.get(waiters.source(waiter)).isClosed) {
                answers.to(waiters.source(waiter), waiters.id(waiter), waiters.prefix(waiter), width);
            }
            answered(channel, waiter);
            settled(waiter);
            waiter = waiters.free(waiter);
        }
    }

    /** The n-th one-way request of the channel was refused; it will be acknowledged all the same. */
    public void refused(int peer, long oneWayNumber, Answers answers) {
        for (int waiter = channel(peer).waiterOf(oneWayNumber); waiter != Waiters.NONE; waiter = waiters.next(waiter)) {
            if (!sources.get(waiters.source(waiter)).isClosed) {
                answers.to(waiters.source(waiter), -1 - waiters.id(waiter), 0, 0);
            }
        }
    }

    /** The server of a node is lost: what is under way to it, or waits, fails, and so does what comes later. */
    public void lost(int peer) {
        Channel channel = channels.computeIfAbsent(peer, node -> new Channel(node, options));
        channel.isLost = true;
        while (!channel.queue.isEmpty()) {
            long number = channel.queue.head();
            sources.get(channel.queue.source(number)).ring.release(channel.queue.position(number));
            Kind kind = channel.queue.kind(number);
            fail(channel.queue.waiter(number), kind == Kind.ONE_WAY || kind == Kind.ACCUMULATE, peer);
            channel.queue.remove();
        }
        while (channel.executed() < channel.issued()) {
            fail(channel.takeExecuted(), true, peer);
        }
        for (int at = 0; at < tickets.size(); at++) {
            if (tickets.peer(at) == peer) {
                fail(takeTicket(at), false, peer);
            }
        }
    }

    /** Requests that were passed on so far, those that were combined counted once each. */
    public long requests() {
        return requests;
    }

    /** Messages in which they left. */
    public long messages() {
        return messages;
    }

    /** Requests that became one with another. */
    public long combined() {
        return combined;
    }

    private void answered(Channel channel, int waiter) {
        int before = channel.answered;
        channel.answered(waiters.requester(waiter));
        if (before == 0 && channel.answered > 0) {
            answered.add(channel);
        }
    }

    private Channel channel(int peer) {
        Channel channel = channels.get(peer);
        if (channel == null) {
            channel = new Channel(peer, options);
            channels.put(peer, channel);
            output.connect(peer);
        }
        return channel;
    }

    private int waiter(int source, long id, long prefix, int replyBytes) {
        owes(source, replyBytes);
        return waiters.add(source, sources.get(source).requester, id, prefix, replyBytes, Waiters.NONE);
    }

    private int oneWayWaiter(int source) {
        return waiter(source, sources.get(source).executed.issue(), 0, 0);
    }

    private void owes(int source, int replyBytes) {
        Source from = sources.get(source);
        from.pending++;
        from.replyBytes += replyBytes;
    }

    private long enqueue(Kind kind, int source, long position, int lengthInBytes, int target, int waiter, long nowNs) {
        Channel channel = channel(target);
        if (channel.isLost) {
            sources.get(source).ring.release(position);
            fail(waiter, kind == Kind.ONE_WAY || kind == Kind.ACCUMULATE, target);
            return -1;
        }
        long number = channel.queue.add(kind, source, position, lengthInBytes, waiter);
        channel.window.arrived(nowNs, lengthInBytes);
        channel.waits(sources.get(source).requester);
        if (channel.combiner != null) {
            channel.combiner.queued(number, source);
        }
        if (!channel.isActive) {
            channel.isActive = true;
            active.add(channel);
        }
        return number;
    }

    private static void offer(Channel channel, long number, Kind kind, long segmentId, int rank, long offset,
        long form, long value) {
        if (number >= 0) {
            channel.queue.describe(number, segmentId, rank, offset, form, value);
            if (channel.combiner != null) {
                channel.combiner.offer(number, kind, segmentId, rank, offset, form);
            }
        }
    }

    private void joined(Channel channel, long number, int source, long position, long nowNs) {
        channel.combiner.queued(number, source);
        channel.window.arrived(nowNs, 0);
        channel.waits(sources.get(source).requester);
        sources.get(source).ring.release(position);
        combined++;
        touch(source);
    }

    /** Sends as much of what waits as there is credit for. */
    private void send(Channel channel) {
        while (channel.isConnected && !channel.queue.isEmpty()) {
            long available = channel.credits.available();
            long bytes = 0;
            long end = channel.queue.head();
            while (end < channel.queue.tail()) {
                int length = channel.queue.length(end);
                available -= CreditLedger.cost(length);
                boolean isFull = bytes > 0 && (forwardsAtOnce || bytes + length > options.windowBytes());
                if (available < 0 || isFull) {
                    break;
                }
                bytes += length;
                end++;
            }
            int count = (int) (end - channel.queue.head());
            if (count == 0) {
                return;
            }
            output.begin(channel.peer, count, bytes);
            while (channel.queue.head() < end) {
                sendFirst(channel);
            }
            output.end(channel.peer);
            messages++;
            requests += count;
        }
    }

    private void sendFirst(Channel channel) {
        long number = channel.queue.head();
        int source = channel.queue.source(number);
        long position = channel.queue.position(number);
        int length = channel.queue.length(number);
        int waiter = channel.queue.waiter(number);
        for (int next = waiter; next != Waiters.NONE; next = waiters.next(next)) {
            channel.waitsNoMore(waiters.requester(next));
        }
        switch (channel.queue.kind(number)) {
            case ONE_WAY, ACCUMULATE -> {
                channel.sentOneWay(waiter);
                output.request(channel.peer, -1, source, position, length);
            }
            case ANSWERED -> output.request(channel.peer, issueTicket(channel, waiter, 0), source, position,
                length);
            case FETCH_AND_ADD -> output.fetchAndAdd(channel.peer,
                issueTicket(channel, waiter, (int) channel.queue.form(number)), source, position, length,
                channel.queue.value(number));
        }
        channel.queue.remove();
        channel.window.left(length);
        channel.credits.sent(length);
        sources.get(source).ring.release(position);
        touch(source);
    }

    private long issueTicket(Channel channel, int waiter, int width) {
        boolean isPrompt = waiters.replyBytes(waiter) > 0;
        channel.promptTickets += isPrompt ? 1 : 0;
        return tickets.issue(waiter, channel.peer, isPrompt, width);
    }

    private int takeTicket(int at) {
        channel(tickets.peer(at)).promptTickets -= tickets.isPrompt(at) ? 1 : 0;
        int waiter = tickets.waiter(at);
        tickets.free(at);
        return waiter;
    }

    private void fail(int first, boolean isOneWay, int peer) {
        int waiter = first;
        while (waiter != Waiters.NONE) {
            int source = waiters.source(waiter);
            if (!sources.get(source).isClosed) {
                output.failed(source, isOneWay ? -1 - waiters.id(waiter) : waiters.id(waiter), peer);
            }
            if (isOneWay) {
                executed(waiter);
            } else {
                settled(waiter);
            }
            waiter = waiters.free(waiter);
        }
    }

    private void executed(int waiter) {
        Source source = sources.get(waiters.source(waiter));
        source.executed.executed(waiters.id(waiter));
        source.pending--;
        touch(waiters.source(waiter));
    }

    private void settled(int waiter) {
        Source source = sources.get(waiters.source(waiter));
        source.replyBytes -= waiters.replyBytes(waiter);
        source.pending--;
        source.hasSpoken = true;
        touch(waiters.source(waiter));
    }

    private void touch(int source) {
        Source from = sources.get(source);
        if (!from.isTouched) {
            from.isTouched = true;
            touched.addInt(source);
        }
    }

    private void tell(int number) {
        Source source = sources.get(number);
        source.isTouched = false;
        if (source.isClosed) {
            if (source.isReleasable()) {
                freeSources.addInt(number);
                output.released(number);
            }
            return;
        }
        if (source.takeAcknowledgement()) {
            output.acknowledge(number, source.executed.prefix());
            source.hasSpoken = true;
        }
        if (source.takeCredit(options.channelBytes())) {
            output.credit(number, source.ring.freed());
        }
        source.hasSpoken = false;
        boolean hasRoom = source.refusedLength > 0 && source.ring.hasRoom(source.refusedLength);
        boolean isLetGo = source.isHeld && !mustWait(source);
        if (hasRoom || isLetGo) {
            source.refusedLength = hasRoom ? 0 : source.refusedLength;
            source.isHeld = source.isHeld && !isLetGo;
            output.unblocked(number);
        }
    }
}

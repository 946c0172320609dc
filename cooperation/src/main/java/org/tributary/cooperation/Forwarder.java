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
 * Order is kept from end to end: an origin's requests arrive in order, those for one target wait in one queue, and the
 * target executes what one channel brings in order. What waits lies in the block of its origin, so a server never holds
 * more than its blocks have room for. Owned by the event loop.
 */
public final class Forwarder {
    /** Bytes of an answer with one value. */
    private static final int VALUE_BYTES = 28;

    private final CooperationOptions options;
    private final Output output;
    private final boolean forwardsAtOnce;
    private final List<Origin> origins = new ArrayList<>();
    private final IntArrayList freeOrigins = new IntArrayList();
    private final IntArrayList touched = new IntArrayList();
    private final Int2ObjectHashMap<Channel> channels = new Int2ObjectHashMap<>();
    private final List<Channel> active = new ArrayList<>();
    private final List<Channel> answered = new ArrayList<>();
    private final Shares shares = new Shares();
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
    public int openOrigin(boolean isChannel) {
        Origin origin = new Origin(isChannel, options.channelBytes());
        if (freeOrigins.isEmpty()) {
            origins.add(origin);
            return origins.size() - 1;
        }
        int number = freeOrigins.removeAt(freeOrigins.size() - 1);
        origins.set(number, origin);
        return number;
    }

    /** The next requests of the origin are those of a rank. */
    public void comesFrom(int origin, int rank) {
        origins.get(origin).asker = rank;
    }

    /** The origin is gone. What it has handed over goes on its way; answers are dropped. */
    public void closeOrigin(int origin) {
        origins.get(origin).isClosed = true;
        touch(origin);
    }

    /**
     * Takes room in the origin's block for a request.
     *
     * @return where: bytes since the origin came, modulo the size of the block; -1 when there is no room, in which case
     *     {@link Output#unblocked} says when there is. A channel that has credit always finds room
     */
    public long place(int origin, int lengthInBytes) {
        if (lengthInBytes > options.maxForwarded()) {
            throw new IllegalArgumentException("a request of " + lengthInBytes + " bytes is longer than "
                + options.maxForwarded() + ", half of cooperation.channel-bytes");
        }
        Origin from = origins.get(origin);
        long position = from.block.place(lengthInBytes);
        from.refusedLength = position < 0 ? lengthInBytes : 0;
        return position;
    }

    /** This server itself has executed a request; {@code position} is -1 when it took no room. */
    public void executedHere(int origin, long position, boolean isOneWay) {
        Origin from = origins.get(origin);
        if (isOneWay) {
            from.executed.executed(from.executed.issue());
        }
        if (position >= 0) {
            from.block.release(position);
        }
        touch(origin);
    }

    /** Passes on a request that has no answer of its own. */
    public void forwardOneWay(int origin, long position, int lengthInBytes, int target, long nowNs) {
        enqueue(Kind.ONE_WAY, origin, position, lengthInBytes, target, oneWayShare(origin), nowNs);
    }

    /**
     * Passes on a request that is answered.
     *
     * @param replyBytes how long the answer will be; 0 when it may take a long time, as for a lock
     */
    public void forwardRequest(int origin, long position, int lengthInBytes, int target, long requestId,
        int replyBytes, long nowNs) {
        enqueue(Kind.ANSWERED, origin, position, lengthInBytes, target, share(origin, requestId, 0, replyBytes), nowNs);
    }

    /** Passes on a fetch-and-add to a word of {@code width} bytes. */
    public void forwardFetchAndAdd(int origin, long position, int lengthInBytes, int target, long requestId,
        long segmentId, int rank, long offset, int width, long operand, long nowNs) {
        Channel channel = channel(target);
        long mate = channel.combiner == null ? -1
            : channel.combiner.find(Kind.FETCH_AND_ADD, origin, segmentId, rank, offset, width);
        if (mate >= 0) {
            long before = channel.queue.value(mate);
            owes(origin, VALUE_BYTES);
            shares.insertAfter(channel.queue.share(mate), origin, origins.get(origin).asker, requestId, before,
                VALUE_BYTES);
            channel.queue.value(mate, before + operand);
            output.joined(channel.queue.origin(mate), channel.queue.position(mate), origin, position);
            joined(channel, mate, origin, position, nowNs);
            return;
        }
        long number = enqueue(Kind.FETCH_AND_ADD, origin, position, lengthInBytes, target,
            share(origin, requestId, 0, VALUE_BYTES), nowNs);
        offer(channel, number, Kind.FETCH_AND_ADD, segmentId, rank, offset, width, operand);
    }

    /**
     * Passes on a contiguous accumulate with {@code SUM} that completes nothing of a window.
     *
     * @param payloadAt where in the request its elements begin
     * @param scale the bits of the real part
     */
    public void forwardAccumulate(int origin, long position, int lengthInBytes, int target, int payloadAt,
        int payloadLength, ElementType type, long scale, long segmentId, int rank, long offset, long nowNs) {
        Channel channel = channel(target);
        boolean isInteger = type == ElementType.INT || type == ElementType.LONG;
        // Of a complex scale only the real part is known here.
        boolean mayCombine = channel.combiner != null && (isInteger
            || options.reorderFloatingPoint() && (type == ElementType.FLOAT || type == ElementType.DOUBLE));
        long form = (long) type.ordinal() << Integer.SIZE | payloadLength;
        long mate = mayCombine
            ? channel.combiner.find(Kind.ACCUMULATE, origin, segmentId, rank, offset, form) : -1;
        if (mate >= 0 && channel.queue.value(mate) == scale && channel.queue.length(mate) == lengthInBytes) {
            output.sum(channel.queue.origin(mate), channel.queue.position(mate), origin, position, payloadAt,
                payloadLength, type);
            Origin from = origins.get(origin);
            from.pending++;
            shares.insertAfter(channel.queue.share(mate), origin, from.asker, from.executed.issue(), 0, 0);
            joined(channel, mate, origin, position, nowNs);
            return;
        }
        long number = enqueue(Kind.ACCUMULATE, origin, position, lengthInBytes, target, oneWayShare(origin), nowNs);
        if (mayCombine) {
            offer(channel, number, Kind.ACCUMULATE, segmentId, rank, offset, form, scale);
        }
    }

    /** The origin asks for an acknowledgement of all that it has handed over. */
    public void wantAck(int origin) {
        origins.get(origin).want();
        touch(origin);
    }

    /**
     * Whether no more of the origin's requests should be read: too many answers are due to it, or, as only channels
     * have credit to keep to, its block has no room for the longest request. {@link Output#unblocked} ends it.
     */
    public boolean isBlocked(int origin) {
        Origin from = origins.get(origin);
        from.isHeld = mustWait(from);
        return from.isHeld;
    }

    private boolean mustWait(Origin origin) {
        return origin.replyBytes > options.channelBytes()
            || !origin.isChannel && !origin.block.hasRoom(options.maxForwarded());
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

    /** A peer says how many bytes of its block it has freed. */
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
            int share = channel.takeExecuted();
            while (share != Shares.NONE) {
                answered(channel, share);
                executed(share);
                share = shares.free(share);
            }
        }
    }

    /** The answer to a request has come: {@code answers} takes it to all who have a share in it. */
    public void answered(long ticket, Answers answers) {
        int at = tickets.check(ticket);
        int width = tickets.width(at);
        Channel channel = channel(tickets.peer(at));
        int share = takeTicket(at);
        while (share != Shares.NONE) {
            if (!origins.get(shares.origin(share)).isClosed) {
                answers.to(shares.origin(share), shares.id(share), shares.prefix(share), width);
            }
            answered(channel, share);
            settled(share);
            share = shares.free(share);
        }
    }

    /** The n-th one-way request of the channel was refused; it will be acknowledged all the same. */
    public void refused(int peer, long oneWayNumber, Answers answers) {
        for (int share = channel(peer).shareOf(oneWayNumber); share != Shares.NONE; share = shares.next(share)) {
            if (!origins.get(shares.origin(share)).isClosed) {
                answers.to(shares.origin(share), -1 - shares.id(share), 0, 0);
            }
        }
    }

    /** The server of a node is lost: what is under way to it, or waits, fails, and so does what comes later. */
    public void lost(int peer) {
        Channel channel = channels.computeIfAbsent(peer, node -> new Channel(node, options));
        channel.isLost = true;
        while (!channel.queue.isEmpty()) {
            long number = channel.queue.head();
            origins.get(channel.queue.origin(number)).block.release(channel.queue.position(number));
            Kind kind = channel.queue.kind(number);
            fail(channel.queue.share(number), kind == Kind.ONE_WAY || kind == Kind.ACCUMULATE, peer);
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

    private void answered(Channel channel, int share) {
        int before = channel.answered;
        channel.answered(shares.asker(share));
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

    private int share(int origin, long id, long prefix, int replyBytes) {
        owes(origin, replyBytes);
        return shares.add(origin, origins.get(origin).asker, id, prefix, replyBytes, Shares.NONE);
    }

    private int oneWayShare(int origin) {
        return share(origin, origins.get(origin).executed.issue(), 0, 0);
    }

    private void owes(int origin, int replyBytes) {
        Origin from = origins.get(origin);
        from.pending++;
        from.replyBytes += replyBytes;
    }

    private long enqueue(Kind kind, int origin, long position, int lengthInBytes, int target, int share, long nowNs) {
        Channel channel = channel(target);
        if (channel.isLost) {
            origins.get(origin).block.release(position);
            fail(share, kind == Kind.ONE_WAY || kind == Kind.ACCUMULATE, target);
            return -1;
        }
        long number = channel.queue.add(kind, origin, position, lengthInBytes, share);
        channel.window.arrived(nowNs, lengthInBytes);
        channel.waits(origins.get(origin).asker);
        if (channel.combiner != null) {
            channel.combiner.queued(number, origin);
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

    private void joined(Channel channel, long number, int origin, long position, long nowNs) {
        channel.combiner.queued(number, origin);
        channel.window.arrived(nowNs, 0);
        channel.waits(origins.get(origin).asker);
        origins.get(origin).block.release(position);
        combined++;
        touch(origin);
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
        int origin = channel.queue.origin(number);
        long position = channel.queue.position(number);
        int length = channel.queue.length(number);
        int share = channel.queue.share(number);
        for (int next = share; next != Shares.NONE; next = shares.next(next)) {
            channel.waitsNoMore(shares.asker(next));
        }
        switch (channel.queue.kind(number)) {
            case ONE_WAY, ACCUMULATE -> {
                channel.sentOneWay(share);
                output.request(channel.peer, -1, origin, position, length);
            }
            case ANSWERED -> output.request(channel.peer, issueTicket(channel, share, 0), origin, position,
                length);
            case FETCH_AND_ADD -> output.fetchAndAdd(channel.peer,
                issueTicket(channel, share, (int) channel.queue.form(number)), origin, position, length,
                channel.queue.value(number));
        }
        channel.queue.remove();
        channel.window.left(length);
        channel.credits.sent(length);
        origins.get(origin).block.release(position);
        touch(origin);
    }

    private long issueTicket(Channel channel, int share, int width) {
        boolean isPrompt = shares.replyBytes(share) > 0;
        channel.promptTickets += isPrompt ? 1 : 0;
        return tickets.issue(share, channel.peer, isPrompt, width);
    }

    private int takeTicket(int at) {
        channel(tickets.peer(at)).promptTickets -= tickets.isPrompt(at) ? 1 : 0;
        int share = tickets.share(at);
        tickets.free(at);
        return share;
    }

    private void fail(int first, boolean isOneWay, int peer) {
        int share = first;
        while (share != Shares.NONE) {
            int origin = shares.origin(share);
            if (!origins.get(origin).isClosed) {
                output.failed(origin, isOneWay ? -1 - shares.id(share) : shares.id(share), peer);
            }
            if (isOneWay) {
                executed(share);
            } else {
                settled(share);
            }
            share = shares.free(share);
        }
    }

    private void executed(int share) {
        Origin origin = origins.get(shares.origin(share));
        origin.executed.executed(shares.id(share));
        origin.pending--;
        touch(shares.origin(share));
    }

    private void settled(int share) {
        Origin origin = origins.get(shares.origin(share));
        origin.replyBytes -= shares.replyBytes(share);
        origin.pending--;
        origin.hasSpoken = true;
        touch(shares.origin(share));
    }

    private void touch(int origin) {
        Origin from = origins.get(origin);
        if (!from.isTouched) {
            from.isTouched = true;
            touched.addInt(origin);
        }
    }

    private void tell(int number) {
        Origin origin = origins.get(number);
        origin.isTouched = false;
        if (origin.isClosed) {
            if (origin.isReleasable()) {
                freeOrigins.addInt(number);
                output.released(number);
            }
            return;
        }
        if (origin.takeAcknowledgement()) {
            output.acknowledge(number, origin.executed.prefix());
            origin.hasSpoken = true;
        }
        if (origin.takeCredit(options.channelBytes())) {
            output.credit(number, origin.block.freed());
        }
        origin.hasSpoken = false;
        boolean hasRoom = origin.refusedLength > 0 && origin.block.hasRoom(origin.refusedLength);
        boolean isLetGo = origin.isHeld && !mustWait(origin);
        if (hasRoom || isLetGo) {
            origin.refusedLength = hasRoom ? 0 : origin.refusedLength;
            origin.isHeld = origin.isHeld && !isLetGo;
            output.unblocked(number);
        }
    }
}

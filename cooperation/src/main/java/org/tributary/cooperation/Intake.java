package org.tributary.cooperation;

import org.tributary.aggregation.RequestQueue.Kind;
import org.tributary.wire.shape.ElementType;

/**
 * The requests that sources hand over: each is combined with one that waits already, or waits itself in the queue of a
 * channel. Waiting requests lie in the ring of their source, so a server never holds more than its rings have room for.
 * Owned by the event loop.
 */
public final class Intake {
    /** Bytes of an answer with one value. */
    private static final int VALUE_BYTES = 28;

    private final CooperationOptions options;
    private final Output output;
    private final Sources sources;
    private final Channels channels;
    private final Sending sending;
    private final Settling settling;
    private long combined;

    Intake(CooperationOptions options, Output output, Sources sources, Channels channels, Sending sending,
        Settling settling) {
        this.options = options;
        this.output = output;
        this.sources = sources;
        this.channels = channels;
        this.sending = sending;
        this.settling = settling;
    }

    /**
     * A source comes.
     *
     * @param isChannel whether it is the channel of another server, which is told its credit
     * @return its number, until {@link Output#released}
     */
    public int openSource(boolean isChannel) {
        return sources.open(isChannel);
    }

    /** The next requests of the source are those of a rank. */
    public void comesFrom(int source, int rank) {
        sources.get(source).requester = rank;
    }

    /** The source is gone. What it has handed over goes on its way; answers are dropped. */
    public void closeSource(int source) {
        sources.get(source).isClosed = true;
        sources.touch(source);
    }

    /**
     * Takes room in the source's ring for a request.
     *
     * @return where: bytes since the source came, modulo the size of the ring
     * @throws IllegalArgumentException when there is no room, or the request is too long: a channel has not kept to its
     *     credit, or the source is read although {@link #holdIfBlocked}
     */
    public long place(int source, int lengthInBytes) {
        if (lengthInBytes > options.maxForwarded()) {
            throw new IllegalArgumentException("a request of " + lengthInBytes + " bytes is longer than "
                + options.maxForwarded() + ", half of cooperation.channel-bytes");
        }
        return sources.get(source).ring.place(lengthInBytes);
    }

    /**
     * Notes and returns whether no more of the source's requests should be read: too much is due to it, or, as only
     * channels have credit to keep to, its ring has no room for the longest request. {@link Output#unblocked} ends
     * it.
     */
    public boolean holdIfBlocked(int source) {
        SourceState from = sources.get(source);
        from.isHeld = sources.mustWait(from);
        return from.isHeld;
    }

    /** This server itself has executed a request; {@code position} is -1 when it took no room. */
    public void executedHere(int source, long position, boolean isOneWay) {
        SourceState from = sources.get(source);
        if (isOneWay) {
            from.executed.executed(from.executed.issue());
        }
        if (position >= 0) {
            from.ring.release(position);
        }
        sources.touch(source);
    }

    /** The source is gone before a request that took room was complete. */
    public void abandoned(int source, long position) {
        sources.release(source, position);
    }

    /** The source asks for an acknowledgement of all that it has handed over. */
    public void wantAck(int source) {
        sources.get(source).setAckWanted();
        sources.touch(source);
    }

    /** Passes on a request that has no answer of its own. */
    public void forwardOneWay(int source, long position, int lengthInBytes, int target, long nowNs) {
        enqueue(Kind.ONE_WAY, source, position, lengthInBytes, target, settling.oneWay(source), nowNs);
    }

    /**
     * Passes on a request that is answered.
     *
     * @param replyBytes how long the answer will be; 0 when it may take a long time, as for a lock
     */
    public void forwardRequest(int source, long position, int lengthInBytes, int target, long requestId,
        int replyBytes, long nowNs) {
        enqueue(Kind.ANSWERED, source, position, lengthInBytes, target,
            settling.request(source, requestId, replyBytes), nowNs);
    }

    /** Passes on a fetch-and-add to a word of {@code width} bytes. */
    public void forwardFetchAndAdd(int source, long position, int lengthInBytes, int target, long requestId,
        long segmentId, int rank, long offset, int width, long operand, long nowNs) {
        Channel channel = channels.getOrOpen(target);
        long mate = channel.combiner == null ? -1
            : channel.combiner.find(Kind.FETCH_AND_ADD, source, segmentId, rank, offset, width);
        if (mate >= 0) {
            long before = channel.queue.value(mate);
            settling.request(channel.queue.waiter(mate), source, requestId, before, VALUE_BYTES);
            channel.queue.value(mate, before + operand);
            output.joined(channel.queue.source(mate), channel.queue.position(mate), source, position);
            joined(channel, mate, source, position, nowNs);
            return;
        }
        long number = enqueue(Kind.FETCH_AND_ADD, source, position, lengthInBytes, target,
            settling.request(source, requestId, VALUE_BYTES), nowNs);
        if (number >= 0) {
            channel.offer(number, Kind.FETCH_AND_ADD, segmentId, rank, offset, width, operand);
        }
    }

    /**
     * Passes on a contiguous accumulate with {@code SUM} that completes nothing of a window.
     *
     * @param payloadAt where in the request its elements begin
     * @param scale the bits of the real part
     */
    public void forwardAccumulate(int source, long position, int lengthInBytes, int target, int payloadAt,
        int payloadLength, ElementType type, long scale, long segmentId, int rank, long offset, long nowNs) {
        Channel channel = channels.getOrOpen(target);
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
            settling.oneWay(channel.queue.waiter(mate), source);
            joined(channel, mate, source, position, nowNs);
            return;
        }
        long number = enqueue(Kind.ACCUMULATE, source, position, lengthInBytes, target, settling.oneWay(source),
            nowNs);
        if (mayCombine && number >= 0) {
            channel.offer(number, Kind.ACCUMULATE, segmentId, rank, offset, form, scale);
        }
    }

    private long enqueue(Kind kind, int source, long position, int lengthInBytes, int target, int waiter, long nowNs) {
        Channel channel = channels.getOrOpen(target);
        if (channel.isLost) {
            sources.release(source, position);
            settling.fail(waiter, kind.isOneWay(), target);
            return -1;
        }
        long number = channel.queue.add(kind, source, position, lengthInBytes, waiter);
        arrived(channel, number, source, lengthInBytes, nowNs);
        sending.activate(channel);
        return number;
    }

    private void joined(Channel channel, long number, int source, long position, long nowNs) {
        arrived(channel, number, source, 0, nowNs);
        sources.release(source, position);
        combined++;
    }

    private void arrived(Channel channel, long number, int source, int lengthInBytes, long nowNs) {
        channel.window.arrived(nowNs, lengthInBytes);
        channel.waits(sources.get(source).requester);
        if (channel.combiner != null) {
            channel.combiner.queued(number, source);
        }
    }

    /** Requests that became one with another. */
    long combined() {
        return combined;
    }
}

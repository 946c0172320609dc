package org.tributary.cooperation;

import java.util.ArrayList;
import java.util.List;
import org.tributary.aggregation.RequestQueue.Kind;
import org.tributary.config.CooperationMode;

/**
 * Sends requests that wait for channels, in messages: when the aggregation window of the channel closes, as far as
 * there is credit. Owned by the event loop.
 */
final class Sending {
    private final CooperationOptions options;
    private final Output output;
    private final boolean forwardsAtOnce;
    private final Sources sources;
    private final Settling settling;
    private final List<Channel> active = new ArrayList<>();
    private long armedNs = Long.MAX_VALUE;
    private long requests;
    private long messages;

    Sending(CooperationOptions options, Output output, Sources sources, Settling settling) {
        this.options = options;
        this.output = output;
        this.sources = sources;
        this.settling = settling;
        forwardsAtOnce = options.mode() == CooperationMode.FORWARD;
    }

    /** Something waits for the channel. */
    void activate(Channel channel) {
        if (!channel.isActive) {
            channel.isActive = true;
            active.add(channel);
        }
    }

    /** The time given to {@link Output#wakeAt} has come. */
    void woken() {
        armedNs = Long.MAX_VALUE;
    }

    /** The turn ends: sends what is not held. */
    void send(long nowNs) {
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
        if (wakeNs < armedNs || armedNs <= nowNs) {
            armedNs = wakeNs;
            if (wakeNs < Long.MAX_VALUE) {
                output.wakeAt(wakeNs);
            }
        }
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
        long ticket = settling.sent(channel, number);
        if (channel.queue.kind(number) == Kind.FETCH_AND_ADD) {
            output.fetchAndAdd(channel.peer, ticket, source, position, length, channel.queue.value(number));
        } else {
            output.request(channel.peer, ticket, source, position, length);
        }
        channel.queue.remove();
        channel.window.left(length);
        channel.credits.sent(length);
        sources.release(source, position);
    }

    /** Requests that wait for a lost server fail. */
    void lost(Channel channel) {
        while (!channel.queue.isEmpty()) {
            long number = channel.queue.head();
            sources.release(channel.queue.source(number), channel.queue.position(number));
            settling.fail(channel.queue.waiter(number), channel.queue.kind(number).isOneWay(), channel.peer);
            channel.queue.remove();
        }
    }

    /** Requests that were passed on so far, those that were combined counted once each. */
    long requests() {
        return requests;
    }

    /** Messages in which they left. */
    long messages() {
        return messages;
    }
}

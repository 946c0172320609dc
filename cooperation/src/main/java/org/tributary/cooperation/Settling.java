package org.tributary.cooperation;

import java.util.ArrayList;
import java.util.List;
import org.tributary.aggregation.RequestQueue.Kind;

/**
 * Gives answers and acknowledgements of peers to their waiters, and counts the executed requests of each source. Owned
 * by the event loop.
 */
public final class Settling {
    private static final long NO_TICKET = -1;

    private final Output output;
    private final Sources sources;
    private final Channels channels;
    private final List<Channel> answered = new ArrayList<>();
    private final Waiters waiters = new Waiters();
    private final Tickets tickets = new Tickets();

    Settling(Output output, Sources sources, Channels channels) {
        this.output = output;
        this.sources = sources;
        this.channels = channels;
    }

    /** The waiter for an answer, alone in its list. */
    int request(int source, long requestId, int replyBytes) {
        return waiter(source, requestId, 0, replyBytes, replyBytes > 0);
    }

    /** One more waiter for the answer to a request that others are part of. */
    void request(int first, int source, long requestId, long prefix, int replyBytes) {
        waiters.insertAfter(first, waiter(source, requestId, prefix, replyBytes, replyBytes > 0));
    }

    /** The waiter for the execution of the source's next one-way request, alone in its list. */
    int oneWay(int source) {
        return waiter(source, sources.get(source).executed.issue(), 0, 0, true);
    }

    /** One more waiter for the execution of a request that others are part of. */
    void oneWay(int first, int source) {
        waiters.insertAfter(first, oneWay(source));
    }

    private int waiter(int source, long id, long prefix, int replyBytes, boolean isPrompt) {
        SourceState from = sources.get(source);
        from.pending++;
        from.promptPending += isPrompt ? 1 : 0;
        from.replyBytes += replyBytes;
        return waiters.add(source, from.requester, id, prefix, replyBytes);
    }

    /**
     * A waiting request is sent.
     *
     * @return the ticket under which it will be answered; -1 for a one-way request
     */
    long sent(Channel channel, long number) {
        int waiter = channel.queue.waiter(number);
        for (int next = waiter; next != Waiters.NONE; next = waiters.next(next)) {
            channel.waitsNoMore(waiters.requester(next));
        }
        Kind kind = channel.queue.kind(number);
        if (kind.isOneWay()) {
            channel.sentOneWay(waiter);
            return NO_TICKET;
        }
        boolean isPrompt = waiters.replyBytes(waiter) > 0;
        channel.promptTickets += isPrompt ? 1 : 0;
        return tickets.issue(waiter, channel.peer, isPrompt,
            kind == Kind.FETCH_AND_ADD ? (int) channel.queue.form(number) : 0);
    }

    /** A peer says how many bytes of its ring it has freed. */
    public void credit(int peer, long freed) {
        channels.getOrOpen(peer).credits.freed(freed);
    }

    /** A peer has executed so many one-way requests of the channel. */
    public void acknowledged(int peer, long executed) {
        Channel channel = channels.getOrOpen(peer);
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

    /** The answer to a request has come from a peer: {@code answers} takes it to all that wait for it. */
    public void answered(int peer, long ticket, Answers answers) {
        int at = tickets.check(ticket);
        if (tickets.peer(at) != peer) {
            throw new IllegalArgumentException("node " + peer + " answers a request that node " + tickets.peer(at)
                + " has");
        }
        int width = tickets.width(at);
        Channel channel = channels.getOrOpen(peer);
        int waiter = take(channel, at);
        while (waiter != Waiters.NONE) {
            if (!sources.get(waiters.source(waiter)).isClosed) {
                answers.answer(waiters.source(waiter), waiters.id(waiter), waiters.prefix(waiter), width);
            }
            answered(channel, waiter);
            settled(waiter);
            waiter = waiters.free(waiter);
        }
    }

    /** The n-th one-way request of the channel was refused; it will be acknowledged all the same. */
    public void refused(int peer, long oneWayNumber, Answers answers) {
        int first = channels.getOrOpen(peer).waiterOf(oneWayNumber);
        for (int waiter = first; waiter != Waiters.NONE; waiter = waiters.next(waiter)) {
            if (!sources.get(waiters.source(waiter)).isClosed) {
                answers.answer(waiters.source(waiter), -1 - waiters.id(waiter), 0, 0);
            }
        }
    }

    /** Requests under way to a lost server fail. */
    void lost(Channel channel) {
        while (channel.executed() < channel.issued()) {
            fail(channel.takeExecuted(), true, channel.peer);
        }
        for (int at = 0; at < tickets.size(); at++) {
            if (tickets.peer(at) == channel.peer) {
                fail(take(channel, at), false, channel.peer);
            }
        }
    }

    /** All that wait for a request are told that the server of {@code peer} is lost. */
    void fail(int first, boolean isOneWay, int peer) {
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

    /** The turn ends: the windows of channels learn how many ranks were answered in it. */
    void turnEnds(long nowNs) {
        for (int i = 0; i < answered.size(); i++) {
            answered.get(i).turnEnds(nowNs);
        }
        answered.clear();
    }

    private int take(Channel channel, int at) {
        channel.promptTickets -= tickets.isPrompt(at) ? 1 : 0;
        int waiter = tickets.waiter(at);
        tickets.free(at);
        return waiter;
    }

    private void answered(Channel channel, int waiter) {
        int before = channel.answered;
        channel.answered(waiters.requester(waiter));
        if (before == 0 && channel.answered > 0) {
            answered.add(channel);
        }
    }

    private void executed(int waiter) {
        SourceState source = sources.get(waiters.source(waiter));
        source.executed.executed(waiters.id(waiter));
        source.pending--;
        source.promptPending--;
        sources.touch(waiters.source(waiter));
    }

    private void settled(int waiter) {
        SourceState source = sources.get(waiters.source(waiter));
        source.replyBytes -= waiters.replyBytes(waiter);
        source.pending--;
        source.promptPending -= waiters.replyBytes(waiter) > 0 ? 1 : 0;
        source.hasSpoken = true;
        sources.touch(waiters.source(waiter));
    }
}

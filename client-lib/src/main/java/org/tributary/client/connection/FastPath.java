package org.tributary.client.connection;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * When requests of a connection take a channel of the network adapter. After some hand-overs it asks its server for
 * one and says how many there are a second, because the busiest get them; it asks less and less often when it gets
 * none. It leaves its channel when the server says that others need it more. It changes between two requests. Guarded
 * by the lock of the links.
 */
final class FastPath {
    /** The network adapter, to the server of the connection. */
    interface Opening {
        /** Opens a channel; null when it cannot. */
        RequestChannel open(ChannelFacts facts);

        /** After how many hand-overs the connection asks for a channel. */
        int flushesBeforeAsking();
    }

    static final long FIRST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LAST_PAUSE_NS = TimeUnit.SECONDS.toNanos(3);

    private final ChannelTransport transport;
    private final RequestWriter writer;
    private final SendBuffer buffer;
    private final Opening opening;
    private final LongSupplier clockNs;
    private ChannelFacts granted;
    private boolean isWanted;
    private boolean isOff;
    private boolean hasEnded;
    /** Messages that had been encoded when this was last told of a hand-over, its own included. */
    private long counted;
    private long handOvers;
    private long byChannel;
    private long waited;
    private int flushes;
    private long sinceNs;
    private long askedNs;
    private long pauseNs;

    FastPath(ChannelTransport transport, RequestWriter writer, SendBuffer buffer, Opening opening,
        LongSupplier clockNs) {
        this.transport = transport;
        this.writer = writer;
        this.buffer = buffer;
        this.opening = opening;
        this.clockNs = clockNs;
        this.sinceNs = clockNs.getAsLong();
    }

    /** The server has given a channel. */
    void granted(ChannelFacts facts) {
        granted = facts;
    }

    /** Others need the channel more. */
    void wanted() {
        isWanted = true;
    }

    /** The server has taken so much of what went by the channel. */
    void credit(long taken) throws IOException {
        transport.credit(taken);
    }

    /** Whether the server waits for an answer, which {@link #flushed} gives. */
    boolean hasToAnswer() {
        return !hasEnded && (granted != null || isWanted && transport.usesChannel());
    }

    /** All that is encoded, in whole requests, has been handed over; there may have been nothing. */
    void flushed() throws IOException {
        boolean isHandOver = writer.messages() > counted;
        if (isHandOver) {
            count();
        }
        if (hasEnded) {
            return;
        }
        if (granted != null) {
            answer();
        } else if (isWanted) {
            leaveChannel();
        } else if (isHandOver && !transport.usesChannel() && !isOff && ++flushes >= opening.flushesBeforeAsking()) {
            measure();
        }
        counted = writer.messages();
    }

    /** What has been handed over. */
    ChannelTraffic traffic() {
        return new ChannelTraffic(handOvers, byChannel, waited);
    }

    private void count() {
        handOvers++;
        byChannel += transport.hasChannel() ? 1 : 0;
        waited += transport.takeHasWaited() ? 1 : 0;
    }

    private void answer() throws IOException {
        RequestChannel opened = isWanted ? null : opening.open(granted);
        isOff = opened == null && !isWanted;
        isWanted = false;
        granted = null;
        if (opened == null) {
            writer.leaveChannel();
            buffer.flush();
        } else {
            writer.useChannel();
            buffer.flush();
            transport.switchToChannel(opened);
        }
    }

    /** Requests that follow go over the connection for good. */
    void end() throws IOException {
        leaveChannel();
        hasEnded = true;
    }

    private void leaveChannel() throws IOException {
        isWanted = false;
        if (transport.usesChannel()) {
            writer.leaveChannel();
            buffer.flush();
            transport.switchToConnection();
        }
    }

    private void measure() throws IOException {
        long nowNs = clockNs.getAsLong();
        long tookNs = Math.max(1, nowNs - sinceNs);
        boolean hasPaused = pauseNs == 0 || nowNs - askedNs > pauseNs;
        long rate = flushes * TimeUnit.SECONDS.toNanos(1) / tookNs;
        flushes = 0;
        sinceNs = nowNs;
        if (hasPaused) {
            pauseNs = Math.min(LAST_PAUSE_NS, Math.max(FIRST_PAUSE_NS, 2 * pauseNs));
            askedNs = nowNs;
            writer.askChannel((int) Math.min(Integer.MAX_VALUE, rate));
            buffer.flush();
        }
    }
}

package org.tributary.cooperation;

/**
 * The requests that pass through one server, in three steps: {@link Intake} takes them from sources and queues them for
 * channels, {@link Sending} has them leave, {@link Settling} takes answers and acknowledgements back to the sources.
 * <p>
 * Order is kept from end to end: a source's requests arrive in order, those for one target wait in one queue, and the
 * target executes the requests of one channel in order. Owned by the event loop.
 */
public final class Forwarder {
    private final Sources sources;
    private final Channels channels;
    private final Settling settling;
    private final Sending sending;
    private final Intake intake;

    /** The requests of one server, whose input and output is {@code output}. */
    public Forwarder(CooperationOptions options, Output output) {
        sources = new Sources(options, output);
        channels = new Channels(options, output);
        settling = new Settling(output, sources, channels);
        sending = new Sending(options, output, sources, settling);
        intake = new Intake(options, output, sources, channels, sending, settling);
    }

    /** Takes requests from sources. */
    public Intake intake() {
        return intake;
    }

    /** Takes answers, acknowledgements and credit from peers. */
    public Settling settling() {
        return settling;
    }

    /** All that was at hand has been handed over: sends what is not held, acknowledges, gives credit. */
    public void endOfTurn(long nowNs) {
        settling.turnEnds(nowNs);
        sending.send(nowNs);
        sources.endTurn();
    }

    /** The time given to {@link Output#wakeAt} has come. */
    public void timer(long nowNs) {
        sending.woken();
        endOfTurn(nowNs);
    }

    /** The channel to a peer is open. */
    public void connected(int peer) {
        channels.getOrOpen(peer).isConnected = true;
    }

    /** The server of a node is lost: what is under way to it, or waits, fails, and so does what comes later. */
    public void lost(int peer) {
        Channel channel = channels.lost(peer);
        sending.lost(channel);
        settling.lost(channel);
    }

    /** Requests that were passed on so far, those that were combined counted once each. */
    public long requests() {
        return sending.requests();
    }

    /** Messages in which they left. */
    public long messages() {
        return sending.messages();
    }

    /** How many bytes may be sent to all peers together now. */
    public long credit() {
        return channels.credit();
    }

    /** Requests that became one with another. */
    public long combined() {
        return intake.combined();
    }
}

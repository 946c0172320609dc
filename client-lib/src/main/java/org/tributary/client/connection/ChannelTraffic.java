package org.tributary.client.connection;

/**
 * Hand-overs of requests to servers of other nodes since a rank has attached, where a channel of the network adapter
 * may carry them ({@code fabric.channels}). Requests that leave together are one.
 *
 * @param handOvers by channels and by connections
 * @param byChannel those by channels
 * @param waited    of those by channels, the ones that had to wait until the server had made room
 */
public record ChannelTraffic(long handOvers, long byChannel, long waited) {
    /** Nothing has been handed over. */
    public static final ChannelTraffic NONE = new ChannelTraffic(0, 0, 0);

    /** That of two connections together. */
    public ChannelTraffic plus(ChannelTraffic other) {
        return new ChannelTraffic(handOvers + other.handOvers, byChannel + other.byChannel, waited + other.waited);
    }

    /** That since an earlier look. */
    public ChannelTraffic since(ChannelTraffic earlier) {
        return new ChannelTraffic(handOvers - earlier.handOvers, byChannel - earlier.byChannel,
            waited - earlier.waited);
    }
}

package org.tributary.cooperation;

import org.agrona.collections.Int2ObjectHashMap;

/**
 * The channels of one server. Each is opened when it is first needed: a server of a large job needs few of the many
 * that it could have. Owned by the event loop.
 */
final class Channels {
    private final CooperationOptions options;
    private final Output output;
    private final Int2ObjectHashMap<Channel> byPeer = new Int2ObjectHashMap<>();
    private final CreditSum credit = new CreditSum();

    Channels(CooperationOptions options, Output output) {
        this.options = options;
        this.output = output;
    }

    /** The channel to a peer, which is opened when it is first needed. */
    Channel getOrOpen(int peer) {
        Channel channel = byPeer.get(peer);
        if (channel == null) {
            channel = new Channel(peer, options, credit);
            byPeer.put(peer, channel);
            output.connect(peer);
        }
        return channel;
    }

    /** How many bytes may be sent to all peers together now. */
    long credit() {
        return credit.available();
    }

    /** The channel to a peer whose server is gone; it is not opened. */
    Channel lost(int peer) {
        Channel channel = byPeer.computeIfAbsent(peer, node -> new Channel(node, options, credit));
        channel.isLost = true;
        return channel;
    }
}

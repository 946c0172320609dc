package org.tributary.fabric.channel;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import org.tributary.fabric.CompletionHandler;
import org.tributary.fabric.Endpoint;
import org.tributary.fabric.FabricException;
import org.tributary.fabric.Peer;
import org.tributary.fabric.Provider;
import org.tributary.fabric.Region;
import org.tributary.fabric.RegionKey;

/**
 * The channels of an endpoint, which share the memory that messages are composed in. Each has a number here, below
 * 65,536, and one at the other side. {@link #open} makes what the other side writes to; with what both sides tell each
 * other then, {@link #connect} makes the channel. {@link #progress} has to be called again and again. One thread at a
 * time uses them, that of the endpoint, which ends with them.
 */
public final class FabricChannels implements CompletionHandler, AutoCloseable {
    private static final int NUMBER_SHIFT = 16;
    private static final int DATA_BITS = 0xffff;

    private final Endpoint endpoint;
    private final ChannelShape shape;
    private final Arrival arrival;
    private final Arena arena = Arena.ofShared();
    private final Staging staging;
    private final Deque<FabricLink> waiting = new ArrayDeque<>();
    private final FabricLink[] links;
    private final Channel[] channels;
    private FabricException broken;

    /**
     * At most so many channels of that shape.
     *
     * @param arrival how messages are noticed: {@link #arrival} of the provider, or {@link Arrival#COMPLETION}
     * @param slots   how many messages can be on their way from here at a time, in all channels together
     */
    public FabricChannels(Endpoint endpoint, ChannelShape shape, Arrival arrival, int channels, int slots) {
        if (arrival == Arrival.FLAG && !endpoint.provider().lastByteIsLast()) {
            throw new IllegalArgumentException(endpoint.provider() + " does not write the last byte last");
        }
        if (arrival == Arrival.COMPLETION && !endpoint.provider().carriesData()) {
            throw new IllegalArgumentException(endpoint.provider() + " has no writes that carry data");
        }
        if (channels < 1 || channels > 1 << NUMBER_SHIFT || slots < 1) {
            throw new IllegalArgumentException("there are 1 to 65,536 channels and at least one slot, not " + channels
                + " and " + slots);
        }
        this.endpoint = endpoint;
        this.shape = shape;
        this.arrival = arrival;
        this.links = new FabricLink[channels];
        this.channels = new Channel[channels];
        this.staging = new Staging(endpoint, arena, shape.slotBytes() + ChannelShape.WORD, slots, 0);
    }

    /** The way that costs less, of those that are right with the provider. */
    public static Arrival arrival(Provider provider) {
        return provider.lastByteIsLast() ? Arrival.FLAG : Arrival.COMPLETION;
    }

    /**
     * Makes the memory of a channel that the other side is to write to.
     *
     * @return what the other side needs to know, with the endpoint's address and the number
     * @throws FabricException when it cannot be registered
     */
    public RegionKey open(int number) {
        Objects.checkIndex(number, links.length);
        if (links[number] != null) {
            throw new IllegalStateException("channel " + number + " is open");
        }
        Region inbound = staging.register(shape.inboundBytes());
        links[number] = new FabricLink(staging, waiting, number, inbound, endpoint.provider().injectBytes());
        return inbound.key();
    }

    /** The channel of that number, when the other side has told its number and key. */
    public Channel connect(int number, Peer peer, RegionKey key, int otherNumber) {
        FabricLink link = links[number];
        if (link == null || channels[number] != null) {
            throw new IllegalStateException("channel " + number + " is not open, or connected");
        }
        if (key.bytes() != shape.inboundBytes() || otherNumber < 0 || otherNumber > DATA_BITS) {
            throw new IllegalArgumentException("the other side's channel " + otherNumber + " has " + key.bytes()
                + " bytes, not " + shape.inboundBytes());
        }
        link.connect(peer.region(key), otherNumber << NUMBER_SHIFT);
        channels[number] = new Channel(shape, arrival, link, link.inbound().memory(),
            "channel " + number + " of " + endpoint);
        return channels[number];
    }

    /**
     * Moves everything on that can move.
     *
     * @return how much has happened
     * @throws FabricException when the endpoint can no longer be used
     */
    public int progress() {
        int count = endpoint.poll(this);
        if (broken != null) {
            throw broken;
        }
        for (int i = waiting.size(); i > 0; i--) {
            FabricLink link = waiting.remove();
            if (link.tryAgain()) {
                count++;
            } else {
                waiting.add(link);
            }
        }
        return count;
    }

    @Override
    public void completed(int context) {
        staging.finish(context);
    }

    @Override
    public void arrived(int data) {
        int number = data >>> NUMBER_SHIFT;
        if (number < channels.length && channels[number] != null) {
            channels[number].arrived(data & DATA_BITS);
        }
    }

    @Override
    public void failed(int context, FabricException reason) {
        if (context == UNKNOWN) {
            broken = reason;
        } else {
            links[staging.channelOf(context)].fail(reason);
            staging.finish(context);
        }
    }

    /** Closes the channels and the endpoint. The other sides must not write any more. */
    @Override
    public void close() {
        endpoint.close();
        arena.close();
    }
}

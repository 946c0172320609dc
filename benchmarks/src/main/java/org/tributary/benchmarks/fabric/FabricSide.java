package org.tributary.benchmarks.fabric;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.tributary.config.ChannelDesign;
import org.tributary.fabric.Domain;
import org.tributary.fabric.Endpoint;
import org.tributary.fabric.Fabric;
import org.tributary.fabric.FabricKind;
import org.tributary.fabric.Peer;
import org.tributary.fabric.Provider;
import org.tributary.fabric.Region;
import org.tributary.fabric.RegionKey;
import org.tributary.fabric.RemoteRegion;
import org.tributary.fabric.channel.Channel;
import org.tributary.fabric.channel.ChannelShape;
import org.tributary.fabric.channel.FabricChannels;

/**
 * One of the two processes: an endpoint for reads and writes, one with a channel for each design, and one with many
 * channels of the usual design, of which only the first is used.
 */
final class FabricSide implements AutoCloseable {
    static final int REGION_BYTES = 4 << 20;
    static final int POLLED = 128;
    /** As programs that compute allocate their arrays, for vectors. */
    static final int ALIGNMENT = 64;
    /** The context of what is no message, and that of messages. */
    static final int OPERATION = 0;
    static final int MESSAGE = 1;
    private static final String HOST = "127.0.0.1";
    private static final int SLOTS = 16;

    private final Arena arena = Arena.ofConfined();
    private final Domain domain;
    private final List<FabricChannels> sets = new ArrayList<>();
    private final List<Place> places = new ArrayList<>();
    private final List<Channel> channels = new ArrayList<>();
    private final Endpoint plain;
    private final Region region;
    private final Provider provider;
    private RemoteRegion remote;
    private PlainMessages messages;

    /** What the other side writes to: a channel of a set, or the region when that is null. */
    private record Place(Endpoint endpoint, FabricChannels set, int number, RegionKey key) {
    }

    FabricSide(Provider provider) {
        this.provider = provider;
        domain = Domain.open(provider);
        plain = domain.open();
        region = plain.register(arena.allocate(REGION_BYTES, ALIGNMENT).fill((byte) 1)); // pages of its own
        places.add(new Place(plain, null, 0, region.key()));
        for (ChannelDesign design : ChannelDesign.values()) {
            open(provider, design, 1);
        }
        open(provider, ChannelDesign.VARIABLE_BOTTOM, POLLED);
    }

    private void open(Provider provider, ChannelDesign design, int count) {
        Endpoint endpoint = domain.open();
        FabricChannels set = new FabricChannels(endpoint, ChannelShape.of(design), FabricChannels.arrival(provider),
            count, SLOTS);
        sets.add(set);
        for (int number = 0; number < count; number++) {
            places.add(new Place(endpoint, set, number, set.open(number)));
        }
    }

    /** The first one on the loopback, or null. */
    static Provider find(FabricKind kind) {
        return Fabric.load().providers(kind, HOST).stream().findFirst().orElse(null);
    }

    /** Address and region key of each place, in one line for {@link #connect} of the other side. */
    String describe() {
        StringBuilder line = new StringBuilder();
        for (Place place : places) {
            RegionKey key = place.key();
            line.append(HexFormat.of().formatHex(place.endpoint().address())).append(' ').append(key.base())
                .append(' ').append(key.key()).append(' ').append(key.bytes()).append(' ');
        }
        return line.toString();
    }

    /** Takes the line of the other side. */
    void connect(String line) {
        String[] words = line.strip().split(" ");
        Map<Endpoint, Peer> peers = new HashMap<>();
        for (int i = 0; i < places.size(); i++) {
            Place place = places.get(i);
            byte[] address = HexFormat.of().parseHex(words[4 * i]);
            Peer peer = peers.computeIfAbsent(place.endpoint(), endpoint -> endpoint.peer(address));
            RegionKey key = new RegionKey(Long.parseLong(words[4 * i + 1]), Long.parseLong(words[4 * i + 2]),
                Long.parseLong(words[4 * i + 3]));
            if (place.set() == null) {
                remote = peer.region(key);
                messages = new PlainMessages(PlainMessages.of(region, remote, MESSAGE), region.memory(),
                    FabricChannels.arrival(provider), provider.injectBytes());
            } else {
                channels.add(place.set().connect(place.number(), peer, key, place.number()));
            }
        }
    }

    Endpoint plain() {
        return plain;
    }

    Region region() {
        return region;
    }

    RemoteRegion remote() {
        return remote;
    }

    /** Messages by the endpoint for reads and writes. */
    PlainMessages messages() {
        return messages;
    }

    Channel channel(ChannelDesign design) {
        return channels.get(design.ordinal());
    }

    void progress(ChannelDesign design) {
        sets.get(design.ordinal()).progress();
    }

    /** The many channels; the first is used. */
    List<Channel> polled() {
        return channels.subList(ChannelDesign.values().length, channels.size());
    }

    void progressOfPolled() {
        sets.getLast().progress();
    }

    @Override
    public void close() {
        sets.forEach(FabricChannels::close);
        domain.close();
        arena.close();
    }
}

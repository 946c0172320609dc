package org.tributary.benchmarks.fabric;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
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

/** One of the two processes: an endpoint for reads and writes, and one with a channel for each design. */
final class FabricSide implements AutoCloseable {
    static final int REGION_BYTES = 4 << 20;
    private static final String HOST = "127.0.0.1";
    private static final int SLOTS = 16;

    private final Arena arena = Arena.ofConfined();
    private final Domain domain;
    private final List<FabricChannels> sets = new ArrayList<>();
    private final List<Endpoint> endpoints = new ArrayList<>();
    private final List<RegionKey> keys = new ArrayList<>();
    private final List<Channel> channels = new ArrayList<>();
    private final Region region;
    private RemoteRegion remote;

    FabricSide(Provider provider) {
        domain = Domain.open(provider);
        Endpoint plain = domain.open();
        region = plain.register(arena.allocate(REGION_BYTES, Long.BYTES));
        endpoints.add(plain);
        keys.add(region.key());
        for (ChannelDesign design : ChannelDesign.values()) {
            Endpoint endpoint = domain.open();
            FabricChannels set = new FabricChannels(endpoint, ChannelShape.of(design),
                FabricChannels.arrival(provider), 1, SLOTS);
            endpoints.add(endpoint);
            keys.add(set.open(0));
            sets.add(set);
        }
    }

    /** The first one on the loopback, or null. */
    static Provider find(FabricKind kind) {
        return Fabric.load().providers(kind, kind == FabricKind.SHM ? null : HOST).stream().findFirst().orElse(null);
    }

    /** Address and region key of each endpoint, in one line for {@link #connect} of the other side. */
    String describe() {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < endpoints.size(); i++) {
            RegionKey key = keys.get(i);
            line.append(HexFormat.of().formatHex(endpoints.get(i).address())).append(' ').append(key.base())
                .append(' ').append(key.key()).append(' ').append(key.bytes()).append(' ');
        }
        return line.toString();
    }

    /** Takes the line of the other side. */
    void connect(String line) {
        String[] words = line.strip().split(" ");
        for (int i = 0; i < endpoints.size(); i++) {
            Peer peer = endpoints.get(i).peer(HexFormat.of().parseHex(words[4 * i]));
            RegionKey key = new RegionKey(Long.parseLong(words[4 * i + 1]), Long.parseLong(words[4 * i + 2]),
                Long.parseLong(words[4 * i + 3]));
            if (i == 0) {
                remote = peer.region(key);
            } else {
                channels.add(sets.get(i - 1).connect(0, peer, key, 0));
            }
        }
    }

    Endpoint plain() {
        return endpoints.getFirst();
    }

    Region region() {
        return region;
    }

    RemoteRegion remote() {
        return remote;
    }

    Channel channel(ChannelDesign design) {
        return channels.get(design.ordinal());
    }

    void progress(ChannelDesign design) {
        sets.get(design.ordinal()).progress();
    }

    @Override
    public void close() {
        sets.forEach(FabricChannels::close);
        domain.close();
        arena.close();
    }
}

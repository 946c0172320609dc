package org.tributary.server.adapter;

import io.netty.util.concurrent.Future;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.agrona.collections.Int2IntHashMap;
import org.agrona.collections.IntHashSet;
import org.agrona.collections.Long2ObjectHashMap;
import org.tributary.config.EnumText;
import org.tributary.config.Settings;
import org.tributary.fabric.Domain;
import org.tributary.fabric.Endpoint;
import org.tributary.fabric.FabricChoice;
import org.tributary.fabric.FabricException;
import org.tributary.fabric.Provider;
import org.tributary.fabric.Region;
import org.tributary.fabric.RegionKey;
import org.tributary.fabric.channel.Arrival;
import org.tributary.fabric.channel.BlockReader;
import org.tributary.fabric.channel.ChannelShape;
import org.tributary.fabric.channel.FabricChannels;
import org.tributary.server.observe.ServerLog;
import org.tributary.server.observe.ServerMetrics;

/**
 * An endpoint with a region for each segment that ranks of other nodes may read and write through it. Of the server's
 * event loop, but for {@link #open} and {@link #close}.
 */
public final class NodeAdapter implements AutoCloseable {
    /** No number: nothing counts. */
    public static final int NONE = 0;
    private static final long CLOSE_MS = 5000;

    private final Provider provider;
    private final ChannelShape blockShape;
    private final Executor server;
    private final ServerLog log;
    private final AdapterLoop loop;
    private final BiFunction<Endpoint, MemorySegment, Region> registering;
    /** Segments whose memory the loop has been asked to register. */
    private final Long2ObjectHashMap<Entry> entries = new Long2ObjectHashMap<>();
    private byte[] address;
    private int lastNumber = NONE;
    private int lastBlock;
    /** Numbers of blocks that are open. */
    private final IntHashSet blocks = new IntHashSet();
    private int regions;
    private long bytes;

    /** A segment's region. */
    private static final class Entry {
        /** Of the adapter's loop; null when the memory could not be registered. */
        private Region region;
        /** Of the server's; null until it has been told. */
        private RegionKey key;
        /** Numbers of ranks whose parts count writes; of the server's. */
        private final Int2IntHashMap numbers = new Int2IntHashMap(NONE);
    }

    private NodeAdapter(Provider provider, ChannelShape blockShape, Executor server, ServerLog log, AdapterLoop loop,
        BiFunction<Endpoint, MemorySegment, Region> registering) {
        this.provider = provider;
        this.blockShape = blockShape;
        this.server = server;
        this.log = log;
        this.loop = loop;
        this.registering = registering;
    }

    /**
     * The provider that a server is to use, if any.
     *
     * @param host the address at which the server listens
     * @throws FabricException when the wanted one is not there, or lacks something; lists those that are there
     */
    public static Optional<Provider> choose(Settings settings, String host) {
        return FabricChoice.choose(EnumText.underscored(settings.networkFabric()), isAny(host) ? null : host)
            .provider();
    }

    private static boolean isAny(String host) {
        return host.equals("0.0.0.0") || host.equals("::");
    }

    /**
     * Opens the adapter.
     *
     * @param server  the server's event loop
     * @param onFault is told there when the adapter cannot go on
     * @throws FabricException when it cannot be opened; nothing is left open
     */
    public static NodeAdapter open(Provider provider, int node, Settings settings, Executor server,
        ServerMetrics metrics, ServerLog log, Consumer<Throwable> onFault) {
        return open(provider, node, settings, server, metrics, log, onFault, Domain::open, Endpoint::register);
    }

    /** As above, with other ways of opening the provider and of registering memory. */
    static NodeAdapter open(Provider provider, int node, Settings settings, Executor server, ServerMetrics metrics,
        ServerLog log, Consumer<Throwable> onFault, Function<Provider, Domain> opening,
        BiFunction<Endpoint, MemorySegment, Region> registering) {
        AdapterLoop loop = new AdapterLoop(node, settings, fault -> tell(server, () -> onFault.accept(fault)));
        ChannelShape shape = ChannelShape.of(settings.fabricChannelDesign(), settings.fabricChannelBytes());
        NodeAdapter adapter = new NodeAdapter(provider, shape, server, log, loop, registering);
        try {
            adapter.openEndpoint(opening);
        } catch (RuntimeException | Error e) {
            adapter.close();
            throw e;
        }
        metrics.gauge("tributary.fabric.regions", "Segments that the network adapter reads and writes", adapter,
            each -> each.regions);
        metrics.gauge("tributary.fabric.bytes", "Memory in them", adapter, each -> each.bytes);
        return adapter;
    }

    private void openEndpoint(Function<Provider, Domain> opening) {
        Future<byte[]> opened = loop.submit(() -> {
            Domain domain = opening.apply(provider);
            try {
                Endpoint endpoint = domain.open();
                byte[] found = endpoint.address();
                loop.begin(domain, endpoint);
                return found;
            } catch (RuntimeException | Error e) {
                domain.close();
                throw e;
            }
        });
        opened.awaitUninterruptibly();
        if (opened.cause() instanceof RuntimeException e) {
            throw e;
        }
        if (opened.cause() instanceof Error e) {
            throw e;
        }
        address = opened.getNow();
    }

    /** libfabric's name of the provider. */
    public String provider() {
        return provider.name();
    }

    /** By which others find the endpoint. */
    public byte[] address() {
        return address.clone();
    }

    /** The key with which others use a segment's region; null when it has none. */
    public RegionKey key(long segment) {
        Entry entry = entries.get(segment);
        return entry == null ? null : entry.key;
    }

    /**
     * Lets others read and write the memory of a segment. Where that cannot be registered, they go on without.
     *
     * @param told runs when that is done, has failed, or the adapter has ended
     */
    public void register(long segment, MemorySegment memory, Runnable told) {
        Entry entry = new Entry();
        entries.put(segment, entry);
        onLoop(() -> {
            Endpoint endpoint = loop.endpoint();
            if (endpoint == null) {
                tell(server, told);
                return;
            }
            RegionKey key = null;
            String problem = null;
            try {
                entry.region = registering.apply(endpoint, memory);
                key = entry.region.key();
            } catch (FabricException e) {
                problem = e.getMessage();
            }
            RegionKey made = key;
            String said = problem;
            tell(server, () -> {
                if (made == null) {
                    log.cannotRegister(memory.byteSize(), said);
                } else {
                    entry.key = made;
                    regions++;
                    bytes += made.bytes();
                }
                told.run();
            });
        }, told);
    }

    /**
     * The number by which writes count at a rank's part of a segment. Whenever one has arrived that carries it, with
     * its bytes in their place, the adapter's thread runs {@code count}.
     *
     * @param told takes the number, {@link #NONE} when the adapter has ended or its writes carry none; never before
     *             this method has returned
     */
    public void count(long segment, int rank, Runnable count, IntConsumer told) {
        if (!provider.carriesData()) {
            tell(server, () -> told.accept(NONE));
            return;
        }
        int number = entries.computeIfAbsent(segment, id -> new Entry()).numbers.computeIfAbsent(rank,
            first -> ++lastNumber); // 2^32 windows of a job would take years
        onLoop(() -> {
            loop.count(number, count);
            tell(server, () -> told.accept(number));
        }, () -> tell(server, () -> told.accept(NONE)));
    }

    /** Whether {@link #close(long, Runnable)} has something to do. */
    public boolean has(long segment) {
        return entries.containsKey(segment);
    }

    /**
     * Ends the use of a segment's memory: what comes later is an error at its sender, or is not counted.
     *
     * @param told runs when that is done
     */
    public void close(long segment, Runnable told) {
        Entry entry = entries.remove(segment);
        if (entry == null) {
            told.run();
            return;
        }
        if (entry.key != null) {
            regions--;
            bytes -= entry.key.bytes();
        }
        onLoop(() -> {
            if (entry.region != null) {
                entry.region.close();
            }
            entry.numbers.values().forEach(number -> loop.stopCounting(number));
            tell(server, told);
        }, told);
    }

    /** How a rank's requests in a block are noticed. */
    public Arrival arrival() {
        // What an adapter writes by itself wakes nobody, unless it tells.
        return provider.offloads() ? Arrival.COMPLETION : FabricChannels.arrival(provider);
    }

    /** Whether requests in a block are noticed at all: some adapters neither keep an order of bytes nor tell. */
    public boolean noticesRequests() {
        return arrival() == Arrival.FLAG || provider.carriesData();
    }

    /** Tells of requests in blocks from now on. */
    public void listen(BlockListener listener) {
        onLoop(() -> loop.listen(listener), () -> { });
    }

    /**
     * Opens a block to which a rank may write requests.
     *
     * @param told takes it; null when it cannot be registered, or the adapter has ended
     */
    public void open(Consumer<RequestBlock> told) {
        do {
            lastBlock = (lastBlock + 1) % RequestBlock.NUMBERS; // a late completion names none that is in use
        } while (!blocks.add(lastBlock));
        int number = RequestBlock.NUMBERS | lastBlock;
        onLoop(() -> {
            Endpoint endpoint = loop.endpoint();
            if (endpoint == null) {
                tell(server, () -> told.accept(null));
                return;
            }
            RequestBlock opened = null;
            String problem = null;
            Arena arena = Arena.ofShared();
            try {
                MemorySegment memory = arena.allocate(blockShape.inboundBytes(), ChannelShape.HEAD_BYTES);
                Region region = registering.apply(endpoint, memory);
                opened = new RequestBlock(number, region,
                    new BlockReader(blockShape, memory, arrival(),
                        arrival() == Arrival.FLAG ? loop.copying() : null, "block " + number + " of requests"), arena);
            } catch (FabricException e) {
                arena.close();
                problem = e.getMessage();
            } catch (RuntimeException | Error e) {
                arena.close();
                throw e;
            }
            RequestBlock made = opened;
            String said = problem;
            tell(server, () -> {
                if (made == null) {
                    blocks.remove(number % RequestBlock.NUMBERS);
                    log.cannotRegister(blockShape.inboundBytes(), said);
                }
                told.accept(made);
            });
        }, () -> told.accept(null));
    }

    /**
     * Closes a block, which nobody reads any more.
     *
     * @param mayBeWritten whether its rank may write at this moment; the memory stays until the adapter is closed
     */
    public void close(RequestBlock block, boolean mayBeWritten) {
        blocks.remove(block.number() % RequestBlock.NUMBERS);
        onLoop(() -> {
            block.closeRegion();
            if (mayBeWritten) {
                loop.keep(block.arena());
            } else {
                block.arena().close();
            }
        }, () -> { });
    }

    /** Has the adapter's loop do something; when that has ended already, {@code otherwise} runs at once. */
    private void onLoop(Runnable work, Runnable otherwise) {
        if (!loop.run(work)) {
            otherwise.run();
        }
    }

    private static void tell(Executor server, Runnable told) {
        try {
            server.execute(told);
        } catch (RejectedExecutionException e) {
            // The server ends, and with it all that would be told.
        }
    }

    /** Closes all regions and the endpoint. May be called by any thread, except the adapter's own. */
    @Override
    public void close() {
        loop.close(TimeUnit.MILLISECONDS.toNanos(CLOSE_MS));
    }
}

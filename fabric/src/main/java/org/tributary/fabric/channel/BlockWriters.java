package org.tributary.fabric.channel;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Deque;
import org.agrona.collections.Int2ObjectHashMap;
import org.tributary.config.ChannelDesign;
import org.tributary.fabric.Endpoint;
import org.tributary.fabric.FabricException;
import org.tributary.fabric.RemoteRegion;

/**
 * The sending sides of channels of one direction, which share an endpoint with others, and the memory that messages are
 * composed in. One thread at a time uses them, that of the endpoint.
 */
public final class BlockWriters implements AutoCloseable {
    private static final int SLOTS = 16;
    private static final int NUMBER_SHIFT = 16;
    /** Each write tells when it is complete: until then the endpoint has to be polled. */
    private static final int NEVER_INJECTED = -1;

    /** Told on the endpoint's thread that nothing more arrives at the other side of a channel. */
    @FunctionalInterface
    public interface Broken {
        void broken(FabricException why);
    }

    /** A channel and who is told of its end. */
    private static final class Entry {
        private final FabricLink link;
        private final RemoteRegion region;
        private final Broken broken;
        private boolean isReached;
        private boolean isTried;
        private long triedNs;

        private Entry(FabricLink link, RemoteRegion region, Broken broken) {
            this.link = link;
            this.region = region;
            this.broken = broken;
        }
    }

    private final Arena arena = Arena.ofShared();
    private final Staging staging;
    private final Deque<FabricLink> waiting = new ArrayDeque<>();
    private final Int2ObjectHashMap<Entry> entries = new Int2ObjectHashMap<>();
    private int lastNumber;
    private int unreached;

    /**
     * Without channels.
     *
     * @param firstContext operations have contexts from this on
     * @throws FabricException when the memory cannot be registered
     */
    public BlockWriters(Endpoint endpoint, int firstContext) {
        try {
            this.staging = new Staging(endpoint, arena,
                ChannelDesign.SLOT_BYTES + ChannelShape.WORD, SLOTS, firstContext);
        } catch (RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    /**
     * A channel to memory of another process of which nothing has been used.
     *
     * @param number of the channel at the other side
     * @return its number here
     */
    public int open(RemoteRegion region, int number, Broken broken) {
        FabricLink link = new FabricLink(staging, waiting, ++lastNumber, null, NEVER_INJECTED);
        link.connect(region, number << NUMBER_SHIFT);
        entries.put(lastNumber, new Entry(link, region, broken));
        unreached++;
        return lastNumber;
    }

    /** The writing side of an open channel; made once, with slots of the paper's size. */
    public BlockWriter writer(int own, ChannelShape shape, Arrival arrival) {
        return new BlockWriter(shape, entries.get(own).link, arrival);
    }

    /** Nothing more is written, and the other side has taken everything, or takes nothing more. */
    public void close(int own) {
        Entry entry = entries.remove(own);
        if (entry != null) {
            reached(entry);
            entry.link.fail(new FabricException("the channel is closed", 0));
            entry.region.close();
        }
    }

    /** Whether something is under way, so that the endpoint has to be polled. */
    public boolean areBusy() {
        return staging.isBusy();
    }

    /** Whether something of a channel is under way. */
    public boolean isBusy(int own) {
        return staging.isBusyOf(own);
    }

    /** An operation of these is complete. */
    public void completed(int context) {
        Entry entry = entries.get(staging.channelOf(context));
        if (entry != null) {
            reached(entry);
        }
        staging.finish(context);
    }

    private void reached(Entry entry) {
        unreached -= entry.isReached ? 0 : 1;
        entry.isReached = true;
    }

    /** An operation of these has failed. */
    public void failed(int context, FabricException reason) {
        int own = staging.channelOf(context);
        staging.finish(context);
        fail(own, reason);
    }

    private void fail(int own, FabricException reason) {
        Entry entry = entries.get(own);
        if (entry != null) {
            entry.link.fail(reason);
            entry.broken.broken(reason);
        }
    }

    /** Fails channels on which something has been under way for so long, and nothing has ever been complete. */
    public void failUnreached(long timeoutNs, long nowNs) {
        if (unreached == 0) {
            return;
        }
        for (int own : entries.keySet().stream().mapToInt(Integer::intValue).toArray()) {
            Entry entry = entries.get(own);
            if (entry == null || entry.isReached || !isBusy(own)) {
                continue;
            }
            if (!entry.isTried) {
                entry.isTried = true;
                entry.triedNs = nowNs;
            } else if (nowNs - entry.triedNs > timeoutNs) {
                fail(own, new FabricException("its server has not been reached in " + timeoutNs / 1e9 + " s", 0));
            }
        }
    }

    /** The endpoint cannot be used any more. */
    public void failAll(FabricException reason) {
        for (int own : entries.keySet().stream().mapToInt(Integer::intValue).toArray()) {
            fail(own, reason);
        }
    }

    /** Begins what had no room. */
    public void beginWaiting() {
        for (int i = waiting.size(); i > 0; i--) {
            FabricLink link = waiting.remove();
            try {
                if (!link.tryAgain()) {
                    waiting.add(link);
                }
            } catch (FabricException e) {
                link.fail(e);
                link.tryAgain(); // drops what waits
                fail(link.number(), e);
            }
        }
    }

    /** After the endpoint: nothing may use the memory any more. */
    @Override
    public void close() {
        arena.close();
    }
}

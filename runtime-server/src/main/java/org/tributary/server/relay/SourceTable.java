package org.tributary.server.relay;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.tributary.config.Topology;
import org.tributary.server.io.ReplyWriter;

/**
 * The sources of a server by the numbers that the forwarder has given them, with their receive rings and what is to be
 * told to them at the end of a turn. Rings of sources that are gone serve the next ones. Owned by the event loop.
 */
final class SourceTable {
    private final Topology topology;
    private final Arena arena;
    private final int ringBytes;
    private final List<SourceEntry> entries = new ArrayList<>();
    private final ArrayDeque<ReceiveRing> freeRings = new ArrayDeque<>();
    private final List<SourceEntry> toFlush = new ArrayList<>();
    private final List<Source> toGoOn = new ArrayList<>();
    private int rings;

    SourceTable(Topology topology, Arena arena, int ringBytes) {
        this.topology = topology;
        this.arena = arena;
        this.ringBytes = ringBytes;
    }

    void opened(int number, Source source) {
        while (entries.size() <= number) {
            entries.add(null);
        }
        entries.set(number, new SourceEntry(source));
    }

    /** Where requests of a source lie from now on. */
    ReceiveRing newRing(int number) {
        ReceiveRing ring = freeRings.pollFirst();
        if (ring == null) {
            rings++;
            ring = new ReceiveRing(arena.allocate(ringBytes, Long.BYTES));
        }
        get(number).ring = ring;
        return ring;
    }

    /** Nothing of the source is here any more; its number may be given to another one. */
    void released(int number) {
        ReceiveRing ring = entries.set(number, null).ring;
        if (ring != null) {
            freeRings.addFirst(ring);
        }
    }

    /** Memory of all rings. */
    long sizeInBytes() {
        return (long) rings * ringBytes;
    }

    SourceEntry get(int number) {
        return entries.get(number);
    }

    ReceiveRing ring(int number) {
        return get(number).ring;
    }

    /** The connection of a rank here, or of the server that it reaches this one by; null when there is none. */
    SourceEntry ofRank(int rank) {
        SourceEntry own = find(false, rank);
        return own != null ? own : find(true, topology.nodeOf(rank));
    }

    private SourceEntry find(boolean isChannel, int number) {
        for (SourceEntry entry : entries) {
            if (entry != null && entry.isChannel() == isChannel && entry.source.rank() == number) {
                return entry;
            }
        }
        return null;
    }

    void forEachChannel(Consumer<Source> action) {
        for (SourceEntry entry : entries) {
            if (entry != null && entry.isChannel()) {
                action.accept(entry.source);
            }
        }
    }

    /** Takes answers for a source, which {@link #flush} sends together. */
    ReplyWriter answering(SourceEntry entry) {
        if (!entry.gathers) {
            entry.gathers = true;
            toFlush.add(entry);
        }
        return entry.source.replies();
    }

    /** A source that was held back goes on at the next {@link #flush}. */
    void unblocked(int number) {
        toGoOn.add(get(number).source);
    }

    /** Sends what has been gathered for sources, and goes on with those that were held back. */
    void flush() {
        for (int i = 0; i < toFlush.size(); i++) {
            toFlush.get(i).gathers = false;
            toFlush.get(i).source.replies().flush();
        }
        toFlush.clear();
        for (int i = 0; i < toGoOn.size(); i++) {
            toGoOn.get(i).goOn();
        }
        toGoOn.clear();
    }
}

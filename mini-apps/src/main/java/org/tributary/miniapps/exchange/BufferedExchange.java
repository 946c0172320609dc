package org.tributary.miniapps.exchange;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The buffers that every kind of exchange has: one for all outgoing messages, and one or more for all incoming ones,
 * used in turn, one after the other in memory that neighbours can write. Subclasses move the messages.
 */
abstract class BufferedExchange implements Exchange {
    private final Neighbourhood neighbourhood;
    private final int[] others;
    private final long[] lengths;
    private final long[][] messages;
    private final Slots slots;
    private final int buffers;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment source;
    private final MemorySegment[] outgoing;
    private final MemorySegment[][] incoming;
    private int filling;
    private int filled;

    /** With {@code memory} for incoming messages, of {@code buffers * slots.total()} bytes. */
    BufferedExchange(Neighbourhood neighbourhood, Slots slots, int buffers, MemorySegment memory) {
        this.neighbourhood = neighbourhood;
        this.slots = slots;
        this.buffers = buffers;
        others = neighbourhood.distinctRanks();
        messages = new long[others.length][];
        source = arena.allocate(slots.total(), Slots.alignment());
        int count = neighbourhood.count();
        lengths = new long[count];
        outgoing = new MemorySegment[count];
        incoming = new MemorySegment[buffers][count];
        for (int direction = 0; direction < count; direction++) {
            lengths[direction] = slots.bytes(direction);
            outgoing[direction] = source.asSlice(slots.offset(direction), slots.bytes(direction));
            int sent = neighbourhood.opposite(direction);
            for (int buffer = 0; buffer < buffers; buffer++) {
                incoming[buffer][direction] =
                    memory.asSlice(buffer * slots.total() + slots.offset(sent), slots.bytes(sent));
            }
        }
    }

    @Override
    public final MemorySegment outgoing(int direction) {
        return outgoing[direction];
    }

    @Override
    public final void limit(int direction, long sent, long received) {
        lengths[direction] = sent;
        Arrays.fill(messages, null);
    }

    @Override
    public final MemorySegment incoming(int direction) {
        return incoming[filled][direction];
    }

    /** The next step fills the next buffer; what has been filled can be read. */
    final void advance() {
        filled = filling;
        filling = (filling + 1) % buffers;
    }

    /** Every rank that is a neighbour, once. */
    final int[] others() {
        return others;
    }

    final int self() {
        return neighbourhood.self();
    }

    /** Puts all messages to the rank with a number in {@link #others}, those that lie side by side as one. */
    final void putTo(int other) {
        if (messages[other] == null) {
            messages[other] = slots.together(lengths, neighbourhood.directionsTo(others[other]));
        }
        for (int i = 0; i < messages[other].length; i += 2) {
            long at = messages[other][i];
            put(others[other], filling * slots.total() + at, source, at, messages[other][i + 1] - at);
        }
    }

    /** Puts all messages. */
    final void putAll() {
        for (int other = 0; other < others.length; other++) {
            putTo(other);
        }
    }

    /** Puts, without waiting, a part of the outgoing messages into a rank's memory for incoming ones. */
    abstract void put(int rank, long offset, MemorySegment from, long fromOffset, long length);

    @Override
    public void close() {
        arena.close();
    }
}

package org.tributary.miniapps.exchange;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.IntStream;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.remote.Handle;

/**
 * The other way round: a rank copies its messages to memory of its own that others can read, and notifies its
 * neighbours, who get them.
 *
 * <p>There are two buffers, used in turn, without credits: a rank fills one again for step s + 2 after it has received
 * the notification of step s + 1, which a neighbour sends after it has got the message of step s.
 */
final class GetExchange implements Exchange {
    private static final int BUFFERS = 2;

    private final Gas gas;
    private final Neighbourhood neighbourhood;
    private final Slots slots;
    private final int[] others;
    private final long[] sent;
    private final long[] received;
    private final long[][] messages;
    private final GlobalMemory memory;
    private final Handle handle;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment source;
    private final MemorySegment target;
    private final MemorySegment[] outgoing;
    private final MemorySegment[] incoming;
    private int filling;

    /** Collective. */
    GetExchange(Gas gas, Neighbourhood neighbourhood, Slots slots) {
        this.gas = gas;
        this.neighbourhood = neighbourhood;
        this.slots = slots;
        others = neighbourhood.distinctRanks();
        messages = new long[others.length][];
        memory = gas.allocate(BUFFERS * slots.total());
        handle = gas.handle();
        source = arena.allocate(slots.total(), Slots.alignment());
        target = arena.allocate(slots.total(), Slots.alignment());
        int count = neighbourhood.count();
        sent = new long[count];
        received = new long[count];
        outgoing = new MemorySegment[count];
        incoming = new MemorySegment[count];
        for (int direction = 0; direction < count; direction++) {
            sent[direction] = slots.bytes(direction);
            received[direction] = slots.bytes(direction);
            outgoing[direction] = source.asSlice(slots.offset(direction), slots.bytes(direction));
            int opposite = neighbourhood.opposite(direction);
            incoming[direction] = target.asSlice(slots.offset(opposite), slots.bytes(opposite));
        }
    }

    @Override
    public MemorySegment outgoing(int direction) {
        return outgoing[direction];
    }

    @Override
    public void limit(int direction, long bytesSent, long bytesReceived) {
        sent[direction] = bytesSent;
        received[neighbourhood.opposite(direction)] = bytesReceived;
        Arrays.fill(messages, null);
    }

    @Override
    public void issue() {
        for (int direction = 0; direction < sent.length; direction++) {
            MemorySegment.copy(outgoing[direction], 0, memory.local(),
                filling * slots.total() + slots.offset(direction), sent[direction]);
        }
        for (int other : others) {
            if (other != neighbourhood.self()) {
                gas.notify(other);
            }
        }
    }

    @Override
    public void finish() {
        for (int i = 0; i < others.length; i++) {
            if (others[i] != neighbourhood.self()) {
                gas.waitNotify(others[i]);
            }
            getFrom(i);
        }
        handle.await();
        filling = (filling + 1) % BUFFERS;
    }

    /** Gets all messages of a neighbour, those that lie side by side as one. */
    private void getFrom(int other) {
        if (messages[other] == null) {
            messages[other] = slots.together(received,
                IntStream.of(neighbourhood.directionsTo(others[other])).map(neighbourhood::opposite).toArray());
        }
        for (int i = 0; i < messages[other].length; i += 2) {
            long at = messages[other][i];
            memory.nbGet(handle, others[other], filling * slots.total() + at, target, at, messages[other][i + 1] - at);
        }
    }

    @Override
    public MemorySegment incoming(int direction) {
        return incoming[direction];
    }

    @Override
    public Optional<String> choice() {
        return Optional.empty();
    }

    @Override
    public void close() {
        memory.close();
        arena.close();
    }
}

package org.tributary.fabric.channel;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.function.IntConsumer;

/**
 * Writes into memory in ways that a network may: byte by byte, the source read only then; with {@link Arrival#FLAG} in
 * the order of bytes and writes, and a write once more before the next begins, as adapters send again; with
 * {@link Arrival#COMPLETION} in no order, bytes more than once, and completions late, in no order and twice. With
 * {@link Copying}, the bytes of one progress come in no order, in the order of writes.
 */
final class HostileNetwork implements RemoteWrite {
    private static final int SLOTS = 3;

    private final Arrival arrival;
    private final Random random;
    private final MemorySegment target;
    private final List<Pending> pending = new ArrayList<>();
    private final List<Integer> completions = new ArrayList<>();
    private IntConsumer receiver;
    /** Null when bytes of a write come in order. */
    private Copying copying;
    private boolean isCopying;
    /** Of the write that is copied, so much comes in this progress. */
    private int limit;
    private Pending last;
    private int claimed;

    HostileNetwork(Arrival arrival, Random random, MemorySegment target) {
        this.arrival = arrival;
        this.random = random;
        this.target = target;
    }

    /** Completions go there. */
    void deliverTo(IntConsumer arrived) {
        receiver = arrived;
    }

    /** Bytes are copied in no order from now on, in times that this tells. */
    void copyBy(Copying by) {
        copying = by;
    }

    private static final class Memory implements Source {
        private final MemorySegment memory;
        private final boolean kept;
        private int writes;
        private boolean released;

        private Memory(int bytes, boolean kept) {
            memory = Arena.ofAuto().allocate(bytes, Long.BYTES);
            this.kept = kept;
        }

        @Override
        public MemorySegment memory() {
            return memory;
        }
    }

    private record Pending(Memory source, int from, int length, int at, int data, BitSet done) {
    }

    @Override
    public void check() {
        // tears, reorders and repeats, but never breaks
    }

    @Override
    public Source claim(int bytes) {
        if (claimed == SLOTS) {
            return null;
        }
        claimed++;
        return new Memory(bytes, false);
    }

    @Override
    public void write(Source source, int from, int length, int at) {
        add(source, from, length, at, -1);
    }

    @Override
    public void writeWithData(Source source, int from, int length, int at, int data) {
        add(source, from, length, at, data);
    }

    private void add(Source source, int from, int length, int at, int data) {
        ((Memory) source).writes++;
        pending.add(new Pending((Memory) source, from, length, at, data, new BitSet()));
    }

    @Override
    public void release(Source source) {
        ((Memory) source).released = true;
        free((Memory) source);
    }

    /** What is free may hold anything. */
    private void free(Memory source) {
        if (source.writes == 0 && source.released && !source.kept) {
            claimed--;
            source.memory.fill((byte) 0xff);
        }
    }

    boolean isIdle() {
        return pending.isEmpty() && completions.isEmpty();
    }

    /** Does something of what there is to do. */
    void step() {
        if (copying != null) {
            stepByCopies();
        } else if (arrival == Arrival.FLAG) {
            stepInOrder();
        } else {
            stepInNoOrder();
        }
    }

    private void stepInOrder() {
        if (last != null && random.nextInt(4) == 0) {
            copy(last, 0, last.length); // once more, and as before: its source has not changed or was kept
        }
        if (pending.isEmpty()) {
            return;
        }
        Pending next = pending.getFirst();
        int begin = next.done.cardinality();
        if (begin == 0) {
            last = null;
        }
        int end = Math.min(next.length, begin + 1 + random.nextInt(random.nextBoolean() ? 3 : next.length));
        copy(next, begin, end);
        next.done.set(begin, end);
        if (end == next.length) {
            pending.removeFirst();
            Memory again = new Memory(next.from + next.length, true);
            MemorySegment.copy(next.source.memory, next.from, again.memory, next.from, next.length);
            last = new Pending(again, next.from, next.length, next.at, next.data, next.done);
            complete(next);
        }
    }

    private void stepByCopies() {
        Pending next = pending.isEmpty() ? null : pending.getFirst();
        int done = next == null ? 0 : next.done.cardinality();
        if (!isCopying && next != null) {
            copying.begin();
            isCopying = true;
            limit = done + 1 + random.nextInt(next.length - done);
        } else if (isCopying && (next == null || done == limit)) {
            copying.end();
            isCopying = false;
        } else if (next != null) {
            int begin = next.done.nextClearBit(0) + random.nextInt(limit - next.done.nextClearBit(0));
            int end = begin + 1 + random.nextInt(limit - begin);
            copy(next, begin, end);
            next.done.set(begin, end);
            if (next.done.cardinality() == next.length) {
                pending.removeFirst();
                complete(next);
                limit = pending.isEmpty() || random.nextBoolean() ? 0 : 1 + random.nextInt(pending.getFirst().length);
            }
        }
    }

    private void stepInNoOrder() {
        if (!completions.isEmpty() && random.nextInt(3) == 0) {
            int at = random.nextInt(completions.size());
            receiver.accept(random.nextInt(4) == 0 ? completions.get(at) : completions.remove(at));
        }
        if (pending.isEmpty()) {
            return;
        }
        Pending any = pending.get(random.nextInt(pending.size()));
        int begin = random.nextInt(any.length);
        int end = begin + 1 + random.nextInt(any.length - begin);
        copy(any, begin, end);
        any.done.set(begin, end);
        if (any.done.cardinality() == any.length) {
            pending.remove(any);
            completions.add(any.data);
            complete(any);
        }
    }

    private void complete(Pending write) {
        write.source.writes--;
        free(write.source);
    }

    private void copy(Pending write, int begin, int end) {
        for (int i = begin; i < end; i++) {
            target.set(ValueLayout.JAVA_BYTE, write.at + (long) i,
                write.source.memory.get(ValueLayout.JAVA_BYTE, write.from + (long) i));
        }
    }
}

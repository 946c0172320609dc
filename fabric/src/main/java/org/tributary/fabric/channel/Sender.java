package org.tributary.fabric.channel;

import java.lang.foreign.MemorySegment;

/**
 * The sending side of one direction. Positions count bytes since the beginning; those that the other side has taken are
 * credit.
 */
abstract sealed class Sender {
    final ChannelShape shape;
    final RemoteWrite out;
    final boolean byFlag;
    private final int margin;
    private int writes;
    /** Bytes of the messages so far. */
    long position;
    /** Messages so far. */
    long number;
    private long credited;

    private Sender(ChannelShape shape, RemoteWrite out, Arrival arrival) {
        this.shape = shape;
        this.out = out;
        this.byFlag = arrival == Arrival.FLAG;
        this.margin = byFlag && !shape.design().isFixed() ? ChannelShape.WORD : 0;
    }

    static Sender of(ChannelShape shape, RemoteWrite out, Arrival arrival) {
        return shape.design().isTop() ? new Top(shape, out, arrival) : new Bottom(shape, out, arrival);
    }

    /** Whether there is credit for a message of that length. */
    boolean hasRoom(int length) {
        return position + shape.taken(length) + margin - credited <= shape.blockBytes();
    }

    /** The other side has taken so many grains, of which {@code bits} bits are known; old news change nothing. */
    void credit(long grains, int bits) {
        long delta = grains - credited / shape.grain() & (1L << bits) - 1;
        if (delta * shape.grain() <= position - credited) {
            credited += delta * shape.grain();
        }
    }

    /** The other side has taken so many bytes in all; false, and nothing changes, when that cannot be. */
    boolean taken(long bytes) {
        if (bytes < credited || bytes > position) {
            return false;
        }
        credited = bytes;
        return true;
    }

    boolean isAllTaken() {
        return credited == position;
    }

    /** Writes a message, for which there is room; false when there is no memory to compose it in. */
    abstract boolean send(MemorySegment message, long from, int length, int credit);

    final void sent(int length) {
        position += shape.taken(length);
        number++;
    }

    /** Writes to a place in the block, in two parts when it goes on at the other end: the first part of it first. */
    final void write(RemoteWrite.Source source, int from, int length, int at, boolean more) {
        if (length == 0) {
            return;
        }
        if (byFlag) {
            out.write(source, from, length, ChannelShape.HEAD_BYTES + at);
        } else {
            out.writeWithData(source, from, length, ChannelShape.HEAD_BYTES + at, Arrivals.data(writes++, more));
        }
    }

    /**
     * Messages end where the one before begins, and so does the block at its top. Nothing is kept: the word of the next
     * message is cleared by 8 bytes of 0 that go before this one.
     */
    private static final class Bottom extends Sender {
        private final int zeros;

        private Bottom(ChannelShape shape, RemoteWrite out, Arrival arrival) {
            super(shape, out, arrival);
            this.zeros = byFlag && !shape.design().isFixed() ? ChannelShape.WORD : 0;
        }

        @Override
        boolean send(MemorySegment message, long from, int length, int credit) {
            int total = zeros + shape.used(length);
            RemoteWrite.Source source = out.claim(total);
            if (source == null) {
                return false;
            }
            try {
                write(source, message, from, length, credit, total);
            } finally {
                out.release(source);
            }
            sent(length);
            return true;
        }

        private void write(RemoteWrite.Source source, MemorySegment message, long from, int length, int credit,
            int total) {
            MemorySegment memory = source.memory();
            if (zeros > 0) {
                BlockWord.put(memory, 0, 0);
            }
            MemorySegment.copy(message, from, memory, zeros, length);
            BlockWord.put(memory, total - ChannelShape.WORD,
                BlockWord.bottom(length, credit, BlockWord.bottomFlagOf(number)));
            int end = shape.blockBytes() - (int) (position % shape.blockBytes());
            int over = Math.max(0, total - end);
            write(source, 0, over, shape.blockBytes() - over, true);
            write(source, over, total - over, end - (total - over), false);
        }
    }

    /**
     * Messages begin where the one before ends. The copy of the block tells which byte lies at the tail's place, from
     * which the tail flag has to differ. Messages are written from other memory: where they share a word, an adapter
     * may still read it for the message before.
     */
    private static final class Top extends Sender {
        private final MemorySegment memory;

        private Top(ChannelShape shape, RemoteWrite out, Arrival arrival) {
            super(shape, out, arrival);
            this.memory = MemorySegment.ofArray(new long[shape.blockBytes() / ChannelShape.WORD]);
        }

        @Override
        boolean send(MemorySegment message, long from, int length, int credit) {
            int total = shape.used(length) + (byFlag ? ChannelShape.WORD : 0);
            int at = (int) (position % shape.blockBytes());
            RemoteWrite.Source source = out.claim(total);
            if (source == null) {
                return false;
            }
            try {
                compose(message, from, length, credit, at);
                int here = Math.min(total, shape.blockBytes() - at);
                MemorySegment.copy(memory, at, source.memory(), 0, here);
                MemorySegment.copy(memory, 0, source.memory(), here, total - here);
                write(source, 0, here, at, here < total);
                write(source, here, total - here, 0, false);
            } finally {
                out.release(source);
            }
            sent(length);
            return true;
        }

        /** In the copy of the block. */
        private void compose(MemorySegment message, long from, int length, int credit, int at) {
            int block = shape.blockBytes();
            int tail = (at + shape.used(length)) % block;
            int flag = BlockWord.topFlagOf(number);
            if (BlockWord.last(BlockWord.get(memory, tail)) == flag) {
                flag |= BlockWord.TOP_OTHER;
            }
            BlockWord.put(memory, at, BlockWord.top(length, credit, flag, BlockWord.last(BlockWord.get(memory, at))));
            int begin = (at + ChannelShape.WORD) % block;
            int first = Math.min(length, block - begin);
            MemorySegment.copy(message, from, memory, begin, first);
            MemorySegment.copy(message, from + first, memory, 0, length - first);
            if (byFlag) {
                BlockWord.put(memory, tail, BlockWord.tail(flag));
            }
        }
    }
}

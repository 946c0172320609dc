package org.tributary.fabric.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.tributary.config.ChannelDesign;
import org.tributary.fabric.channel.Arrival;
import org.tributary.fabric.channel.Channel;
import org.tributary.fabric.channel.ChannelShape;
import org.tributary.fabric.channel.RemoteWrite;
import org.tributary.wire.shm.SharedWord;

/** Another processor writes messages while this one polls. */
public class ChannelStress {
    private static final int MESSAGE = 16;
    private static final int SLOT = MESSAGE + 16;
    private static final int BLOCK = 2 * SLOT + 16;
    private static final int STRIDE = 256;
    /** More than the states that jcstress keeps alive at once. */
    private static final int STATES = 1 << 17;
    private static final MemorySegment MEMORY = Arena.global().allocate((long) STATES * STRIDE, 64);
    private static final AtomicLong NEXT = new AtomicLong();

    /** Memory that is written as an adapter writes: the last word last. */
    private record Memory(MemorySegment memory) implements RemoteWrite.Source {
    }

    private record Writes(MemorySegment target) implements RemoteWrite {
        @Override
        public void check() {
        }

        @Override
        public Source claim(int bytes) {
            return new Memory(MemorySegment.ofArray(new long[bytes / Long.BYTES]));
        }

        @Override
        public void write(Source source, int from, int length, int at) {
            int last = length - Long.BYTES;
            MemorySegment.copy(source.memory(), from, target, at, last);
            SharedWord.setLongRelease(target, at + last, source.memory().get(ValueLayout.JAVA_LONG, from + last));
        }

        @Override
        public void writeWithData(Source source, int from, int length, int at, int data) {
            throw new IllegalStateException("messages arrive by their flags here");
        }

        @Override
        public void release(Source source) {
        }
    }

    /** Two messages, of ones and of twos; what was seen of each, 0 for none and -1 for others. */
    public abstract static class Messages {
        private final Channel sender;
        private final Channel receiver;
        private final MemorySegment message = MemorySegment.ofArray(new long[MESSAGE / Long.BYTES]);
        private int seen;

        Messages(ChannelDesign design) {
            ChannelShape shape = new ChannelShape(design, design.isFixed() ? 2 * SLOT : BLOCK, SLOT);
            MemorySegment target = MEMORY.asSlice(NEXT.getAndIncrement() % STATES * STRIDE, STRIDE).fill((byte) 0);
            MemorySegment unused = MemorySegment.ofArray(new long[STRIDE / Long.BYTES]);
            sender = new Channel(shape, Arrival.FLAG, new Writes(target), unused, "the sender");
            receiver = new Channel(shape, Arrival.FLAG, new Writes(unused), target, "the receiver");
        }

        /** Sends both. */
        final void send() {
            for (int i = 1; i <= 2; i++) {
                message.fill((byte) i);
                sender.send(message, 0, MESSAGE);
            }
        }

        private int poll() {
            seen = 0;
            receiver.poll((memory, offset, length) -> {
                long word = memory.get(ValueLayout.JAVA_LONG, offset);
                boolean whole = length == MESSAGE && word == memory.get(ValueLayout.JAVA_LONG, offset + Long.BYTES)
                    && word == (word & 0xff) * 0x0101010101010101L;
                seen = whole ? (int) word & 0xff : -1;
            }, 1);
            return seen;
        }

        /** Polls twice. */
        final void receive(II_Result result) {
            result.r1 = poll();
            result.r2 = poll();
        }
    }

    /** Veloblock. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "not there yet")
    @Outcome(id = {"0, 1", "1, 0"}, expect = ACCEPTABLE, desc = "the first")
    @Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "both")
    @Outcome(expect = FORBIDDEN, desc = "in parts, or not in order")
    @State
    public static class VariableBottom extends Messages {
        /** An empty channel. */
        public VariableBottom() {
            super(ChannelDesign.VARIABLE_BOTTOM);
        }

        /** The writing side. */
        @Actor
        public void sender() {
            send();
        }

        /** The polling side. */
        @Actor
        public void receiver(II_Result result) {
            receive(result);
        }
    }

    /** The word first, and its flag once more behind the message. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "not there yet")
    @Outcome(id = {"0, 1", "1, 0"}, expect = ACCEPTABLE, desc = "the first")
    @Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "both")
    @Outcome(expect = FORBIDDEN, desc = "in parts, or not in order")
    @State
    public static class VariableTop extends Messages {
        /** An empty channel. */
        public VariableTop() {
            super(ChannelDesign.VARIABLE_TOP);
        }

        /** The writing side. */
        @Actor
        public void sender() {
            send();
        }

        /** The polling side. */
        @Actor
        public void receiver(II_Result result) {
            receive(result);
        }
    }
}

package org.tributary.wire.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.tributary.wire.shm.RequestRing;

/** The two sides of a ring at work at a time. */
public class RequestRingStress {
    private static final int CAPACITY = 64;

    private static ByteBuffer filled(int value) {
        ByteBuffer bytes = ByteBuffer.allocate(CAPACITY);
        while (bytes.hasRemaining()) {
            bytes.put((byte) value);
        }
        return bytes.flip();
    }

    /** The value of bytes that are all the same, or -1. */
    private static int valueOf(byte[] bytes) {
        for (byte each : bytes) {
            if (each != bytes[0]) {
                return -1;
            }
        }
        return bytes[0];
    }

    /** What is published is there. */
    @JCStressTest
    @Outcome(id = "64, 0", expect = ACCEPTABLE, desc = "not there yet")
    @Outcome(id = "64, 1", expect = ACCEPTABLE, desc = "there")
    @Outcome(id = ".*, -1", expect = FORBIDDEN, desc = "published before its bytes")
    @State
    public static class Publish {
        private final MemorySegment memory = Blocks.take();
        private final RequestRing.Writer writer = new RequestRing.Writer(memory, "the ring");
        private final RequestRing.Reader reader = new RequestRing.Reader(memory, "the ring");
        private final ByteBuffer ones = filled(1);

        /** Writes a ringful. */
        @Actor
        public void rank(II_Result result) {
            result.r1 = writer.write(ones);
            writer.publish();
        }

        /** Reads what there is. */
        @Actor
        public void server(II_Result result) {
            byte[] copy = new byte[CAPACITY];
            int length = reader.available();
            reader.copy(MemorySegment.ofArray(copy), length);
            result.r2 = valueOf(copy);
        }
    }

    /** What has not been taken is not overwritten. */
    @JCStressTest
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "no room yet")
    @Outcome(id = "64, 1", expect = ACCEPTABLE, desc = "written again after it was taken")
    @Outcome(id = ".*, 2", expect = FORBIDDEN, desc = "overwritten before it was taken")
    @Outcome(id = ".*, -1", expect = FORBIDDEN, desc = "overwritten before it was taken, in part")
    @State
    public static class Take {
        private final MemorySegment memory = Blocks.take();
        private final RequestRing.Writer writer = new RequestRing.Writer(memory, "the ring");
        private final RequestRing.Reader reader = new RequestRing.Reader(memory, "the ring");
        private final ByteBuffer twos = filled(2);

        /** A full ring. */
        public Take() {
            writer.write(filled(1));
            writer.publish();
        }

        /** Writes another ringful, if there is room. */
        @Actor
        public void rank(II_Result result) {
            result.r1 = writer.write(twos);
        }

        /** Copies, then takes. */
        @Actor
        public void server(II_Result result) {
            byte[] copy = new byte[CAPACITY];
            reader.copy(MemorySegment.ofArray(copy), reader.available());
            reader.take(CAPACITY);
            result.r2 = valueOf(copy);
        }
    }
}

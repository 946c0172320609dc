package org.tributary.client.collective;

import java.lang.foreign.MemorySegment;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/** One member's calls of the collectives, each with its result held against the serial model. */
record Calls(int self, int size, Collectives collectives) {
    void broadcast(int root, long bytes, long salt) {
        MemorySegment buffer = Vectors.bytes(bytes);
        if (self == root) {
            Vectors.mark(buffer, 0, bytes, root, -1, salt);
        }
        collectives.broadcast(root, buffer);
        Vectors.assertMarked(buffer, 0, bytes, root, -1, salt, "broadcast at " + self);
    }

    void reduce(int root, ReduceOp op, ElementType type, long elements) {
        MemorySegment send = Vectors.of(op, type, self, elements);
        MemorySegment receive = self == root ? Vectors.bytes(send.byteSize()) : null;
        collectives.reduce(root, op, type, send, receive);
        String what = "reduce " + op + " " + type + " of " + elements + " to " + root + " at " + self;
        if (self == root) {
            Vectors.assertSame(type, Vectors.reduced(op, type, size, 0, elements), receive, what);
        }
        Vectors.assertSame(type, Vectors.of(op, type, self, elements), send, what + ", send buffer");
    }

    void allreduce(ReduceOp op, ElementType type, long elements, boolean inPlace) {
        MemorySegment send = Vectors.of(op, type, self, elements);
        MemorySegment receive = inPlace ? send : Vectors.bytes(send.byteSize());
        collectives.allreduce(op, type, send, receive);
        String what = "allreduce " + op + " " + type + " of " + elements + " at " + self;
        Vectors.assertSame(type, Vectors.reduced(op, type, size, 0, elements), receive, what);
        if (!inPlace) {
            Vectors.assertSame(type, Vectors.of(op, type, self, elements), send, what + ", send buffer");
        }
    }

    void reduceScatter(ReduceOp op, ElementType type, long elements) {
        MemorySegment send = Vectors.of(op, type, self, elements * size);
        MemorySegment receive = Vectors.bytes(elements * type.sizeInBytes());
        collectives.reduceScatter(op, type, send, receive);
        Vectors.assertSame(type, Vectors.reduced(op, type, size, self * elements, elements), receive,
            "reduceScatter " + op + " " + type + " of blocks of " + elements + " at " + self);
    }

    void allgather(long block, long salt) {
        MemorySegment send = Vectors.bytes(block);
        Vectors.mark(send, 0, block, self, -1, salt);
        MemorySegment receive = Vectors.bytes(block * size);
        collectives.allgather(send, receive);
        for (int member = 0; member < size; member++) {
            Vectors.assertMarked(receive, member * block, block, member, -1, salt, "allgather at " + self);
        }
    }

    void allToAll(long block, long salt) {
        MemorySegment send = Vectors.bytes(block * size);
        MemorySegment receive = Vectors.bytes(block * size);
        for (int member = 0; member < size; member++) {
            Vectors.mark(send, member * block, block, self, member, salt);
        }
        collectives.allToAll(send, receive);
        for (int member = 0; member < size; member++) {
            Vectors.assertMarked(receive, member * block, block, member, self, salt, "allToAll at " + self);
        }
    }
}

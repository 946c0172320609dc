package org.tributary.client.collective;

import java.util.Random;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/** Long mixtures of collectives with members that dawdle: the slots' invariant under everything that may follow it. */
final class MixedCollectivesTest {
    /** Random collectives of members on random nodes. */
    static void mixture(int size, int nodes, int chunkBytes, long seed, IntUnaryOperator delays, int calls) {
        Random places = new Random(seed);
        int[] nodeOf = TestGroup.fill(size, i -> places.nextInt(nodes));
        TestGroup.run(nodeOf, chunkBytes, TestGroup.EARLY, seed, delays, (self, collectives) -> {
            Calls member = new Calls(self, size, collectives);
            Random random = new Random(seed); // the same on all members
            for (int i = 0; i < calls; i++) {
                call(member, collectives, random, i);
            }
        });
    }

    private static void call(Calls member, Collectives collectives, Random random, int salt) {
        ElementType type = ElementType.values()[random.nextInt(ElementType.values().length)];
        ReduceOp op = ReduceOp.values()[random.nextInt(Vectors.isComplex(type) ? 2 : 4)];
        int root = random.nextInt(member.size());
        int length = random.nextInt(4) == 0 ? random.nextInt(400) : random.nextInt(12);
        switch (random.nextInt(7)) {
            case 0 -> collectives.barrier();
            case 1 -> member.broadcast(root, length, salt);
            case 2 -> member.reduce(root, op, type, length);
            case 3 -> member.allreduce(op, type, length, random.nextBoolean());
            case 4 -> member.reduceScatter(op, type, length / 4);
            case 5 -> member.allgather(length, salt);
            default -> member.allToAll(length, salt);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5, 8, 13, 17})
    void shouldKeepSlotsUntilConsumedWhenMembersDawdle(int size) {
        for (int nodes = 1; nodes <= size; nodes = 2 * nodes + 1) {
            mixture(size, nodes, 64, size, member -> 30, 60);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 6, 9, 12})
    void shouldKeepSlotsUntilConsumedWhenOneMemberIsSlow(int size) {
        for (int slow = 0; slow < size; slow += 2) {
            int last = slow;
            mixture(size, size / 3, 64, slow, member -> member == last ? 300 : 0, 40);
        }
    }

    /** The rounds are used up twice, so each exchange is three collectives, none of which is with all members. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 21, 33})
    void shouldKeepSlotsUntilConsumedWhenALargeExchangeTakesSeveralParts(int slow) {
        int size = 34;
        TestGroup.run(new int[size], 64, TestGroup.EARLY, slow, member -> member == slow ? 500 : 0,
            (self, collectives) -> {
                Calls member = new Calls(self, size, collectives);
                for (int i = 0; i < 40; i++) {
                    member.allToAll(50, i);
                    member.broadcast(1 + i % 2, 10, i); // other slots of the tree than those of the barrier
                }
            });
    }
}

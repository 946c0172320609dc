package org.tributary.it;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.MutexSet;
import org.tributary.client.shape.Scale;
import org.tributary.wire.shape.ReduceOp;

/**
 * A rank of the campaign's jobs, which does everything that others can wait in, and checks its own answers. {@code
 * native/test/campaign.c} does the same steps in the same order, so that jobs can be of both; a change here needs one
 * there. Arguments: rounds, and milliseconds between two of them.
 */
public final class CampaignRank {
    private static final int COUNTER = 0;
    private static final int GUARDED = 8;
    private static final int SUMS = 64;
    private static final int SUM_COUNT = 64;
    private static final int BULK = 1024;
    private static final int BULK_BYTES = 20000;
    private static final int PART_BYTES = BULK + 2 * BULK_BYTES;

    private final Gas gas;
    private final GlobalMemory memory;
    private final MutexSet mutexes;
    private final int rank;
    private final int size;
    private final byte[] bulk = new byte[BULK_BYTES];
    private final double[] ones = new double[SUM_COUNT];

    private CampaignRank(Gas gas) {
        this.gas = gas;
        this.memory = gas.allocate(PART_BYTES);
        this.mutexes = gas.createMutexes(1);
        this.rank = gas.rank();
        this.size = gas.rankCount();
        Arrays.fill(ones, 1);
    }

    /** Runs on the ranks of a job. */
    public static void main(String[] arguments) throws InterruptedException {
        int rounds = Integer.parseInt(arguments[0]);
        try (Gas gas = Gas.attach()) {
            CampaignRank self = new CampaignRank(gas);
            say("attached");
            for (int round = 0; round < rounds; round++) {
                self.exchange(round);
                self.count(round);
                self.agree(round);
                Thread.sleep(Long.parseLong(arguments[1]));
            }
            gas.barrier();
            self.checkAll((long) rounds * self.size);
            gas.barrier();
            self.mutexes.close();
            self.memory.close();
            say("right");
        }
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private static byte pattern(int from, int round, int at) {
        return (byte) (from * 31 + round * 17 + at * 7);
    }

    private static void check(String what, double actual, double expected) {
        if (actual != expected) {
            throw new IllegalStateException(what + " is " + actual + ", not " + expected);
        }
    }

    private void exchange(int round) {
        int half = BULK + round % 2 * BULK_BYTES;
        for (int i = 0; i < BULK_BYTES; i++) {
            bulk[i] = pattern(rank, round, i);
        }
        memory.put((rank + 1) % size, half, MemorySegment.ofArray(bulk));
        gas.barrier();
        MemorySegment mine = memory.local();
        for (int i = 0; i < BULK_BYTES; i++) {
            check("byte " + i, mine.get(ValueLayout.JAVA_BYTE, half + i), pattern((rank + size - 1) % size, round, i));
        }
    }

    private void count(int round) {
        int home = round % size;
        memory.fetchAndAdd(home, COUNTER, 1);
        memory.accumulate((home + 1) % size, SUMS, Scale.ofDouble(1), MemorySegment.ofArray(ones), 0, 8L * SUM_COUNT);
        mutexes.lock(home, 0);
        memory.putLong(home, GUARDED, memory.getLong(home, GUARDED) + 1);
        gas.fence(home);
        mutexes.unlock(home, 0);
    }

    private void agree(int round) {
        long sum = gas.world().allreduce(ReduceOp.SUM, (long) rank + round);
        check("sum of round " + round, sum, (double) size * (size - 1) / 2 + (double) size * round);
    }

    private void checkAll(long expected) {
        double[] sum = new double[SUM_COUNT];
        long counted = 0;
        long guarded = 0;
        double sums = 0;
        for (int home = 0; home < size; home++) {
            counted += memory.getLong(home, COUNTER);
            guarded += memory.getLong(home, GUARDED);
            memory.get(home, SUMS, MemorySegment.ofArray(sum));
            sums += Arrays.stream(sum).sum();
        }
        check("the counter", counted, expected);
        check("what the mutex guards", guarded, expected);
        check("the sums", sums, (double) expected * SUM_COUNT);
    }
}

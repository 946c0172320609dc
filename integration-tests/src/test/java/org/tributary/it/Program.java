package org.tributary.it;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.MutexSet;
import org.tributary.client.error.JobAbortedException;
import org.tributary.client.shape.Scale;
import org.tributary.wire.shape.ReduceOp;

/** What the ranks of these tests run: everyone says who it is, then does what the first argument says. */
public final class Program {
    private static final int VICTIM = 1;
    /** Small requests after which they may take another way. */
    private static final int READY_AFTER = 1000;
    private static final int MIB = 1 << 20;
    private static final int LARGE = 32 * MIB;
    /** Others need the cores, too. */
    private static final long PAUSE_MS = 20;

    private Program() {
    }

    /** Runs on the ranks of a job. */
    public static void main(String[] arguments) throws InterruptedException {
        try (Gas gas = Gas.attach()) {
            GlobalMemory memory = gas.allocate(gas.rank() == 0 ? LARGE : 64);
            MutexSet mutexes = gas.createMutexes(1);
            boolean victim = gas.rank() == VICTIM;
            switch (arguments[0]) {
                case "exit" -> leaveBehind(gas, victim, Integer.parseInt(arguments[1]));
                case "exit-getting" -> leaveGetting(gas, victim);
                case "exit-adding" -> leaveAdding(gas, victim);
                case "exit-streaming" -> leaveStreaming(gas, victim);
                case "exit-unnotified" -> leaveWaiting(gas, victim);
                case "nothing" -> ready(gas);
                case "exception" -> throwFrom(gas, victim);
                case "barrier" -> {
                    ready(gas);
                    if (victim) {
                        compute(gas);
                    }
                    gas.barrier();
                }
                case "all-in-barrier" -> {
                    ready(gas);
                    gas.world().barrier();
                    if (gas.rank() == 0) {
                        memory.awaitFlag(0, 1, -1); // never set
                    }
                    gas.barrier();
                }
                case "lock" -> {
                    if (victim) {
                        mutexes.lock(0, 0);
                    }
                    gas.barrier();
                    ready(gas);
                    if (victim) {
                        compute(gas);
                    }
                    mutexes.lock(0, 0);
                }
                case "compute" -> computeAfterAWord(gas);
                case "put" -> put(gas, memory);
                case "add" -> add(gas, memory);
                case "leave-first" -> stayUnless(gas, gas.rank() == 0, Path.of(arguments[1]));
                case "leave-node" -> readUntilNodeHasLeft(gas, memory, Path.of(arguments[1]));
                case "until" -> exchangeUntil(gas, Path.of(arguments[1]));
                case "allocate" -> {
                    ready(gas);
                    while (gas.rankCount() > 0) {
                        gas.allocate(100_000).close();
                    }
                }
                default -> throw new IllegalArgumentException(arguments[0]);
            }
        }
    }

    private static void ready(Gas gas) {
        System.out.println("ready rank " + gas.rank() + " pid " + ProcessHandle.current().pid());
    }

    /** A rank that waits in no call of ours computes, for all that others see, whether it uses its core or not. */
    private static void compute(Gas gas) throws InterruptedException {
        while (gas.rankCount() > 0) {
            Thread.sleep(1);
        }
    }

    private static void computeAfterAWord(Gas gas) throws InterruptedException {
        ready(gas);
        compute(gas);
    }

    private static void leaveBehind(Gas gas, boolean victim, int code) {
        ready(gas);
        gas.barrier();
        if (victim) {
            System.exit(code);
        }
        gas.barrier();
    }

    /** More than sockets hold is on its way to the victim, for which it does not wait. */
    private static void leaveGetting(Gas gas, boolean victim) {
        int last = gas.rankCount() - 1;
        GlobalMemory large = gas.allocate(gas.rank() == last ? LARGE : 0);
        ready(gas);
        gas.barrier();
        if (victim) {
            large.nbGet(gas.handle(), last, 0, Arena.global().allocate(LARGE), 0, LARGE);
            System.exit(0);
        }
    }

    /** More than sockets hold is on its way from the victim, for which it does not wait; acknowledgements come late. */
    private static void leaveAdding(Gas gas, boolean victim) {
        int last = gas.rankCount() - 1;
        GlobalMemory large = gas.allocate(gas.rank() == last ? LARGE + Long.BYTES : 0);
        ready(gas);
        gas.barrier();
        if (victim) {
            MemorySegment ones = Arena.global().allocate(LARGE).fill((byte) 1);
            for (int at = 0; at < LARGE; at += MIB) {
                large.accumulate(last, at, Scale.ofLong(1), ones.asSlice(at, MIB), 0, MIB);
            }
            large.putLong(last, LARGE, 1);
            System.exit(0);
        }
        if (gas.rank() == last) {
            large.awaitFlag(LARGE, 1, -1);
            long wrong = large.local().asSlice(0, LARGE).mismatch(Arena.global().allocate(LARGE).fill((byte) 1));
            if (wrong >= 0) {
                throw new IllegalStateException("byte " + wrong + " is not there");
            }
        }
    }

    /** Another thread of the victim, which nothing ends but the end of the process, sends requests all the time. */
    private static void leaveStreaming(Gas gas, boolean victim) throws InterruptedException {
        int last = gas.rankCount() - 1;
        GlobalMemory words = gas.allocate(64);
        ready(gas);
        gas.barrier();
        if (victim) {
            Thread sends = Thread.ofPlatform().daemon().start(() -> sendUntilTheProcessEnds(words, last));
            // It goes on when connections have been closed, and hears why.
            Runtime.getRuntime().addShutdownHook(new Thread(() -> join(sends)));
            words.awaitFlag(8, 1, -1);
            System.exit(0);
        }
        if (gas.rank() == last) {
            words.awaitFlag(0, 1, -1);
            words.putLong(VICTIM, 8, 1);
        }
    }

    private static void sendUntilTheProcessEnds(GlobalMemory words, int to) {
        try {
            while (true) {
                words.putLong(to, 0, 1);
            }
        } catch (JobAbortedException e) {
            if (!e.getMessage().endsWith("the job: its process ends")) {
                throw e;
            }
        }
    }

    private static void join(Thread thread) {
        try {
            if (!thread.join(Duration.ofMinutes(5))) {
                throw new IllegalStateException("a thread sends though its rank has left");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void leaveWaiting(Gas gas, boolean victim) {
        ready(gas);
        gas.barrier();
        if (victim) {
            System.exit(0);
        }
        gas.waitNotify(VICTIM);
    }

    /** Others than the first to leave wait for the file. */
    private static void stayUnless(Gas gas, boolean first, Path file) throws InterruptedException {
        gas.barrier();
        ready(gas);
        while (!first && !Files.exists(file)) {
            Thread.sleep(1);
        }
    }

    /** Those of node 1 leave; the others read their memory once the file is there. */
    private static void readUntilNodeHasLeft(Gas gas, GlobalMemory memory, Path file) throws InterruptedException {
        memory.putLong(gas.rank(), 0, gas.rank());
        stayUnless(gas, gas.node() == 1, file);
        for (int rank = 0; rank < gas.rankCount() && gas.node() != 1; rank++) {
            if (memory.getLong(rank, 0) != rank) {
                throw new IllegalStateException("not what rank " + rank + " has put");
            }
        }
    }

    private static void throwFrom(Gas gas, boolean victim) {
        ready(gas);
        gas.barrier();
        try (GlobalMemory memory = gas.allocate(8)) { // whose close is collective: the others never come
            memory.putLong(VICTIM, 0, 1);
            if (victim) {
                throw new IllegalStateException("deliberate failure");
            }
            gas.waitNotify(VICTIM);
        }
    }

    /** Puts around the ring, checking what arrives, until rank 0 sees the file; several times a second. */
    private static void exchangeUntil(Gas gas, Path end) throws InterruptedException {
        GlobalMemory ring = gas.allocate(LARGE / 8);
        long[] values = new long[LARGE / 64]; // 4 MiB
        ready(gas);
        for (long round = 1, seen = 0; seen == 0; round++) {
            Arrays.fill(values, round);
            ring.put((gas.rank() + gas.rankCount() - 1) % gas.rankCount(), 0, MemorySegment.ofArray(values));
            gas.barrier();
            if (ring.getLong(gas.rank(), LARGE / 8 - Long.BYTES) != round) {
                throw new IllegalStateException("not what was put in round " + round);
            }
            seen = gas.world().allreduce(ReduceOp.SUM, gas.rank() == 0 && Files.exists(end) ? 1L : 0L);
            Thread.sleep(PAUSE_MS);
        }
        ring.close();
    }

    /** Many small requests. */
    private static void add(Gas gas, GlobalMemory memory) {
        long count = 0;
        while (gas.rankCount() > 0) {
            memory.fetchAndAdd(0, 8L * gas.rank(), 1);
            memory.putLong(0, 64 + 8L * gas.rank(), count);
            if (++count == READY_AFTER) {
                ready(gas);
            }
        }
    }

    private static void put(Gas gas, GlobalMemory memory) {
        MemorySegment source = MemorySegment.ofArray(new byte[LARGE]);
        ready(gas);
        while (gas.rankCount() > 0) {
            memory.put(0, 0, source);
        }
    }
}

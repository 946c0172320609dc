package org.tributary.it;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.Group;
import org.tributary.client.remote.Handle;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.status.NodeReader;

/** What the two ranks of {@link TraceTest} run: so many operations, and rank 0 waits for rank 1 in a barrier. */
public final class TracedProgram {
    static final int GETS = 40;
    static final int PUTS = 600;
    static final int ADDS = 10;
    static final int EXCHANGES = 3000;
    private static final int LARGE = 2 << 20;
    private static final long LATE_MS = 300;

    private TracedProgram() {
    }

    /**
     * Runs on two ranks of two nodes; with the argument {@code die}, rank 0 is killed at the end. With the argument
     * {@code node}, both are on one.
     */
    public static void main(String[] arguments) throws Exception {
        try (Gas gas = Gas.attach()) {
            if (arguments.length > 0 && arguments[0].equals("node")) {
                onNode(gas);
                return;
            }
            GlobalMemory memory = gas.allocate(64 + LARGE);
            int other = 1 - gas.rank();
            MemorySegment word = MemorySegment.ofArray(new long[1]);
            for (int i = 0; i < GETS; i++) {
                memory.getLong(other, 0);
            }
            Handle handle = gas.handle();
            for (int i = 0; i < PUTS; i++) {
                memory.nbPut(handle, other, 0, word, 0, Long.BYTES);
            }
            handle.await();
            MemorySegment block = MemorySegment.ofArray(new long[LARGE / Long.BYTES]);
            memory.put(other, 64, block);
            memory.put(gas.rank(), 64, block); // on the node, and recorded, for it is large
            memory.putLong(gas.rank(), 8, 1); // on the node, and not recorded
            for (int i = 0; i < ADDS; i++) {
                memory.fetchAndAdd(other, 16, 1);
            }
            gas.barrier();
            computeIfLate(gas);
            gas.barrier();
            if (arguments.length > 0 && gas.rank() == 0) {
                Place.signal("KILL", ProcessHandle.current().pid());
            }
            if (arguments.length > 0) {
                gas.barrier();
            }
        }
    }

    /** Rank 1 is late, counted from when the other one is seen to wait for it, in the next collective. */
    private static void computeIfLate(Gas gas) throws IOException, InterruptedException {
        Path coming = Path.of("coming");
        if (gas.rank() == 0) {
            Files.createFile(coming); // it waits in the last one no more
            return;
        }
        NodeReader node = new NodeReader(NodeDirectory.of(Path.of(System.getenv(Place.VARIABLE)),
            System.getenv("TRIBUTARY_JOB_ID"), 0));
        while (Files.notExists(coming) || node.read().ranks().getFirst().waits().stream().noneMatch(wait ->
            wait.kind() == WaitKind.COLLECTIVE)) {
            Thread.sleep(1);
        }
        Thread.sleep(LATE_MS);
    }

    /** Collectives of the node, of a group that is closed and of all: most are short, and rank 1 is late for one. */
    private static void onNode(Gas gas) throws IOException, InterruptedException {
        MemorySegment words = MemorySegment.ofArray(new long[2]);
        MemorySegment received = MemorySegment.ofArray(new long[2]);
        try (Group group = gas.world().split(0, gas.rank())) {
            for (int i = 0; i < EXCHANGES / 2; i++) {
                group.allToAll(words, received);
                gas.world().allToAll(words, received);
                group.barrier();
                if (i == EXCHANGES / 4) {
                    computeIfLate(gas);
                    group.barrier();
                }
            }
        }
    }
}

package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.error.AttachException;
import org.tributary.client.shape.Strided;
import org.tributary.client.testing.TestJob;
import org.tributary.config.Settings;
import org.tributary.wire.shm.SharedFile;

/** Ranks that hand their requests to their own server in a ring of shared memory. */
class RingTest {
    private static final int BYTES = 300_000;
    private static final Strided SHAPE = Strided.rows(1000, 200, 1000, 1500);

    private static Path rings(TestJob job, int node) {
        return job.server(node).directory().resolve("rings");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2*1 forward", "2*1 aggregate", "2*1 combine"})
    void shouldComeThroughTheRingAndLeaveNoFileWhenScopeIsNode(String layout) throws IOException {
        byte[] marked = "what rank 0 puts".getBytes(StandardCharsets.UTF_8);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment all;
            Path file;
            try (TestJob job = TestJob.start(layout + " node")) {
                file = rings(job, 0);
                all = SharedFile.map(file, arena);
                job.run(gas -> putAndLook(gas, MemorySegment.ofArray(marked)));
            }
            assertTrue(contains(all, marked), "what was put was never in a ring");
            assertFalse(Files.exists(file));
        }
    }

    private static void putAndLook(Gas gas, MemorySegment data) {
        GlobalMemory memory = gas.allocate(64);
        if (gas.rank() == 0) {
            memory.put(1, 0, data, 0, data.byteSize());
            gas.fence(1);
        }
        gas.barrier();
        if (gas.rank() == 1) {
            MemorySegment got = Jobs.empty(data.byteSize());
            memory.get(1, 0, got, 0, data.byteSize());
            Jobs.assertSame(data, got, "put");
        }
    }

    private static boolean contains(MemorySegment memory, byte[] wanted) {
        MemorySegment pattern = MemorySegment.ofArray(wanted);
        for (long at = 0; at + wanted.length <= memory.byteSize(); at++) {
            if (MemorySegment.mismatch(memory, at, at + wanted.length, pattern, 0, wanted.length) < 0) {
                return true;
            }
        }
        return false;
    }

    @Test
    void shouldMakeNoRingsWhenScopeIsProcess() {
        try (TestJob job = TestJob.start("2*1 combine")) {
            assertFalse(Files.exists(rings(job, 0)));
        }
    }

    @Test
    void shouldSayThatSettingsDifferWhenServerHasNoRings() {
        try (TestJob job = TestJob.start("2*1 combine")) {
            Settings other = Settings.builder().environment(job.settings().toEnvironment())
                .set("cooperation.scope=node").build();
            AttachException e = assertThrows(AttachException.class, () -> Gas.attach(job.environmentOf(0), other));
            assertTrue(e.getMessage().contains("differ in cooperation.mode or cooperation.scope"), e.getMessage());
        }
    }

    /** What is put takes the ring many times over, and the server reads it in pieces of whatever is there. */
    @ParameterizedTest
    @ValueSource(strings = {"4k", "64k"})
    void shouldWaitAndGoOnWhenTheRingIsFull(String ringBytes) {
        try (TestJob job = TestJob.start("1,2,1 aggregate node", "cooperation.ring-bytes=" + ringBytes,
            "server.receive-buffer=4k")) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(2L * BYTES * gas.rankCount());
                long mine = 2L * BYTES * gas.rank();
                MemorySegment data = Jobs.random(gas.rank(), BYTES);
                MemorySegment rows = data.asSlice(0, SHAPE.bytes());
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment outside = Jobs.nativeCopy(arena, data);
                    for (int target = 0; target < gas.rankCount(); target++) {
                        memory.put(target, mine, target % 2 == 0 ? data : outside, 0, BYTES);
                        memory.putStrided(target, mine + BYTES, data, 0, SHAPE);
                    }
                }
                for (int target = 0; target < gas.rankCount(); target++) {
                    MemorySegment got = Jobs.empty(BYTES);
                    memory.get(target, mine, got, 0, BYTES);
                    Jobs.assertSame(data, got, "put at rank " + target);
                    MemorySegment gotRows = Jobs.empty(SHAPE.bytes());
                    memory.getStrided(target, mine + BYTES, gotRows, 0, SHAPE);
                    Jobs.assertSame(rows, gotRows, "strided put at rank " + target);
                }
                gas.barrier();
            });
        }
    }

    /** Pauses end while the server polls, while it blocks, and at every moment between. */
    @Test
    void shouldLoseNoWakeUpWhenRequestsComeAsTheServerFallsAsleep() {
        try (TestJob job = TestJob.start("1,2 combine node", "server.spin=20us")) {
            int each = 3000;
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(8);
                gas.barrier();
                if (gas.node() == 1) {
                    Random random = new Random(gas.rank());
                    for (int i = 0; i < each; i++) {
                        LockSupport.parkNanos(random.nextInt(100_000));
                        memory.fetchAndAdd(0, 0, 1);
                    }
                }
                gas.barrier();
                if (gas.rank() == 0) {
                    assertEquals(2 * each, memory.getLong(0, 0));
                }
            });
        }
    }
}

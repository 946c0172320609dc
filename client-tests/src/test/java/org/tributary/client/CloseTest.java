package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.tributary.client.error.InvalidAddressException;
import org.tributary.client.testing.TestJob;
import org.tributary.client.window.Window;
import org.tributary.client.window.WindowOptions;
import org.tributary.wire.codec.LockMode;

/** Closes are collective and wait for nobody; what is closed goes when all have closed it. */
class CloseTest {
    @EveryPath
    void shouldLeaveMemoryToOthersWhenOneMemberHasClosedIt(String layout) {
        run(layout, gas -> {
            int last = gas.rankCount() - 1;
            GlobalMemory memory = gas.allocate(8L * gas.rankCount());
            if (gas.rank() == last) {
                memory.close();
                for (int rank = 0; rank < last; rank++) {
                    gas.notify(rank);
                }
            } else {
                gas.waitNotify(last);
                memory.putLong(last, 8L * gas.rank(), gas.rank() + 1);
                gas.fence(last);
                assertEquals(gas.rank() + 1, memory.getLong(last, 8L * gas.rank()));
                memory.close();
            }
        });
    }

    @EveryPath
    void shouldLeaveMutexesAndWindowToOthersWhenOneMemberHasClosedThem(String layout) {
        run(layout, gas -> {
            MutexSet mutexes = gas.createMutexes(1);
            Window window = Window.allocate(gas, gas.world(), 8, 8, WindowOptions.DEFAULT);
            int last = gas.rankCount() - 1;
            if (gas.rank() == last) {
                window.close();
                mutexes.close();
                for (int rank = 0; rank < last; rank++) {
                    gas.notify(rank);
                }
            } else {
                gas.waitNotify(last);
                mutexes.lock(last, 0);
                mutexes.unlock(last, 0);
                window.lock(LockMode.EXCLUSIVE, last);
                window.unlock(last);
                window.close();
                mutexes.close();
            }
        });
    }

    @Test
    void shouldSayWhoHasClosedTheMemoryWhenItIsUsedAgain() {
        try (TestJob job = TestJob.start("2*1")) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(8);
                memory.close();
                InvalidAddressException refused =
                    assertThrows(InvalidAddressException.class, () -> memory.putLong(1 - gas.rank(), 0, 1));
                assertEquals("the memory is closed: rank " + gas.rank() + " has closed segment "
                    + Long.toHexString(memory.id()) + " and must not use it any more", refused.getMessage());
                assertEquals(gas.rank(), refused.rank());
            });
        }
    }

    @EveryPath
    void shouldWaitForNobodyWhenGroupAndItsMemoryAreClosed(String layout) {
        run(layout, gas -> {
            Group half = gas.world().split(gas.rank() % 2, gas.rank());
            Group inner = half.split(0, -gas.rank());
            GlobalMemory memory = gas.allocate(inner, 8);
            int first = half.worldRank(0);
            if (gas.rank() == first) {
                inner.close();
                memory.close();
                half.close();
                for (int member = 1; member < half.size(); member++) {
                    gas.notify(half.worldRank(member));
                }
            } else {
                gas.waitNotify(first);
                memory.putLong(first, 0, 1);
                memory.close();
                inner.close();
                half.close();
            }
            assertThrows(IllegalStateException.class, inner::barrier);
        });
    }

    /** Two barriers after the body nothing of it is left. */
    private static void run(String layout, TestJob.RankProgram body) {
        try (TestJob job = Jobs.start(layout)) {
            job.run(gas -> {
                gas.barrier();
                long before = files(job, gas.node());
                gas.barrier();
                body.run(gas);
                gas.barrier();
                gas.barrier();
                assertEquals(before, files(job, gas.node()));
                gas.barrier();
            });
        }
    }

    private static long files(TestJob job, int node) throws IOException {
        try (Stream<Path> files = Files.list(job.server(node).directory())) {
            return files.count();
        }
    }
}

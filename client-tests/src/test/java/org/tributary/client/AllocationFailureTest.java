package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.error.GasException;
import org.tributary.client.segment.NewSegment;
import org.tributary.client.window.Window;
import org.tributary.client.window.WindowOptions;
import org.tributary.wire.shm.SegmentKind;
import org.tributary.wire.shm.SegmentLayout;

/** What fails on one member fails on all with the same words and leaves nothing, and the job goes on. */
class AllocationFailureTest {
    private static final long PART = 4096;

    private interface Making {
        void run(Gas gas);
    }

    /** A file stands in the way of the server of the last node alone. */
    @EveryPlacement
    void shouldTellEveryMemberWhenOneServerRefuses(String layout) {
        Making[] makings = {gas -> gas.allocate(PART), gas -> gas.createMutexes(2),
            gas -> gas.allocator().allocateWindow(gas.world(), PART, ""), gas -> gas.world().split(0, gas.rank()),
            gas -> gas.world().create(IntStream.range(0, gas.rankCount()).toArray())};
        Jobs.run(layout, gas -> {
            int lastNode = gas.nodeCount() - 1;
            int leader = gas.topology().firstRank(lastNode);
            int drawn = 0;
            for (Making making : makings) {
                drawn++;
                Set<String> before = files(gas);
                // The number that rank 0 draws.
                Path inTheWay = gas.access().node().directory().segment(1L << 32 | drawn);
                gas.barrier();
                if (gas.rank() == leader) {
                    Files.createFile(inTheWay);
                }
                gas.barrier();
                String failure = assertThrows(GasException.class, () -> making.run(gas)).getMessage();
                assertTrue(failure.contains("for rank " + leader + " (node " + lastNode + ") failed: node " + lastNode
                    + " refused a request"), failure);
                assertTrue(failure.endsWith("-" + lastNode + "/" + inTheWay.getFileName()), failure);
                gas.barrier();
                if (gas.rank() == leader) {
                    Files.delete(inTheWay);
                }
                gas.barrier();
                assertEquals(before, files(gas));
                gas.barrier();
                making.run(gas);
                drawn++;
                gas.barrier();
            }
        });
    }

    /** A file stands in the way of one after the other: data or table, control words, the costs, the journal. */
    @ParameterizedTest
    @ValueSource(strings = {"1*2", "2*2"})
    void shouldLeaveNothingOfAWindowWhenOneOfItsPartsIsRefused(String layout) {
        WindowOptions options = WindowOptions.DEFAULT.withChecks(true);
        Jobs.run(layout, gas -> {
            int leader = gas.topology().firstRank(gas.nodeCount() - 1);
            int drawn = 0;
            for (int part = 1; part <= 7; part++) {
                boolean isDynamic = part > 4;
                int before = isDynamic ? part - 4 : part; // with it, of this window; costs are known by then
                drawn += before;
                Set<String> files = files(gas);
                Path inTheWay = gas.access().node().directory().segment(1L << 32 | drawn);
                gas.barrier();
                if (gas.rank() == leader) {
                    Files.createFile(inTheWay);
                }
                gas.barrier();
                assertThrows(GasException.class, () -> window(gas, isDynamic, options));
                gas.barrier();
                if (gas.rank() == leader) {
                    Files.delete(inTheWay);
                }
                gas.barrier();
                assertEquals(files, files(gas), "part " + part);
                gas.barrier();
            }
            window(gas, false, options).close();
            gas.barrier();
        });
    }

    private static Window window(Gas gas, boolean isDynamic, WindowOptions options) {
        return isDynamic ? Window.createDynamic(gas, gas.world(), options)
            : Window.allocate(gas, gas.world(), PART, 8, options);
    }

    /** The file goes after the server has made it and before all have mapped it. */
    @ParameterizedTest
    @ValueSource(strings = {"1*3", "1,2", "2*1"})
    void shouldTellEveryMemberAndFreeWhenOneCannotMap(String layout) {
        Jobs.run(layout, gas -> {
            int victim = gas.rankCount() - 1;
            Set<String> before = files(gas);
            gas.barrier();
            long id = 77L << 40;
            int[] local = IntStream.range(0, gas.rankCount()).filter(gas::sameNode).toArray();
            long[] lengths = new long[local.length];
            Arrays.fill(lengths, PART);
            NewSegment segment = new NewSegment(gas.access(), gas.world().collectives(), id, "the memory",
                new SegmentLayout(local, lengths));
            segment.create(SegmentKind.DATA);
            if (gas.rank() == victim) {
                Files.delete(gas.access().node().directory().segment(id));
            }
            String failure = assertThrows(GasException.class, () -> segment.complete(parts -> parts)).getMessage();
            assertTrue(failure.startsWith("no member has the memory, for rank "), failure);
            assertTrue(failure.contains("(node " + gas.nodeOf(victim) + ") failed: cannot map "), failure);
            assertTrue(failure.endsWith(Long.toHexString(id) + ": there is no such file"), failure);
            gas.barrier();
            assertEquals(before, files(gas));
            assertThrows(GasException.class, () -> gas.access().request(gas.node(),
                (link, reply) -> link.writer().free(reply, id)), "the server has forgotten it");
            GlobalMemory memory = gas.allocate(PART);
            memory.putLong(victim, 8L * gas.rank(), 5);
            gas.barrier();
            memory.close();
        });
    }

    /** What a member makes of the memory may fail as well, on a member that gets nothing, too. */
    @EveryPlacement
    void shouldTellEveryMemberWhenOneCannotUseTheMemory(String layout) {
        Jobs.run(layout, gas -> {
            Set<String> before = files(gas);
            gas.barrier();
            long id = 78L << 40;
            boolean isMember = gas.rank() == 0;
            NewSegment segment = new NewSegment(gas.access(), gas.world().collectives(), id, "the group",
                isMember ? new SegmentLayout(new int[] {0}, new long[] {PART}) : null);
            segment.create(SegmentKind.DATA);
            GasException failure = assertThrows(GasException.class, () -> segment.complete(parts -> {
                if (!isMember) {
                    throw new OutOfMemoryError("Java heap space");
                }
                return parts;
            }));
            assertEquals("no member has the group, for rank 1 (node " + gas.nodeOf(1) + ") failed: Java heap space",
                failure.getMessage());
            gas.barrier();
            assertEquals(before, files(gas));
        });
    }

    /** What there is of segments on the rank's node. */
    private static Set<String> files(Gas gas) {
        try (Stream<Path> files = Files.list(gas.access().node().directory().path())) {
            return files.map(file -> file.getFileName().toString()).filter(name -> name.startsWith("segment"))
                .collect(Collectors.toCollection(TreeSet::new));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

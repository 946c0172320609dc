package org.tributary.globalarrays;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tributary.client.Gas;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.globalarrays.file.ArrayFileException;
import org.tributary.globalarrays.file.Checkpoint;
import org.tributary.wire.shape.ElementType;

/** Checkpoints: what they give back, and what they refuse. */
class CheckpointTest {
    private static final long[] LARGE = {900, 1100};
    private static final long[] SMALL = {5, 3, 7};
    private static final long STEP = 1L << 40;

    @TempDir
    private Path folder;

    /** Written by four ranks on two nodes, in several tiles each; read by other jobs, and with other blocks. */
    @ParameterizedTest
    @EnumSource
    void shouldRestoreWithAnyLayout(JobShape job) {
        Path file = folder.resolve("state");
        JobShape.TWO_NODES_OF_TWO.run(gas -> {
            GlobalArray large = GlobalArray.create(gas, "large", ElementType.DOUBLE, LARGE);
            GlobalArray small = GlobalArray.builder(gas, "small", ElementType.INT, SMALL).ghosts(1, 1, 2).create();
            Checkpoint checkpoint = Checkpoint.of(file, "test", large, small);
            assertEquals(OptionalLong.empty(), checkpoint.restore());
            checkpoint.write(1);
            fill(large, small, 1);
            checkpoint.write(STEP);
            large.close();
            small.close();
        });
        assertArrayEquals(new String[] {"state"}, folder.toFile().list());
        job.run(gas -> {
            GlobalArray large = GlobalArray.builder(gas, "large", ElementType.DOUBLE, LARGE)
                .blocks(new long[] {0, 7}, new long[] {0}).create();
            GlobalArray small = GlobalArray.create(gas, "small", ElementType.INT, SMALL);
            fill(large, small, 0);
            assertEquals(OptionalLong.of(STEP), Checkpoint.of(file, "test", large, small).restore());
            DoubleView.of(large).forEachLocal((value, index) -> assertEquals(index[0] + 0.5 * index[1], value));
            IntView.of(small).forEachLocal((value, index) ->
                assertEquals(100 * index[0] + 10 * index[1] + index[2], value));
            large.close();
            small.close();
        });
    }

    private static void fill(GlobalArray large, GlobalArray small, int factor) {
        DoubleView.of(large).map(Patch.whole(LARGE), (value, index) -> factor * (index[0] + 0.5 * index[1]));
        IntView.of(small).map(Patch.whole(SMALL), (value, index) ->
            (int) (factor * (100 * index[0] + 10 * index[1] + index[2])));
    }

    /** Whichever byte has another value, it is found; and so is a file of any other length. */
    @Test
    void shouldRefuseAnyDamage() throws IOException {
        Path file = folder.resolve("state");
        long seed = System.nanoTime();
        JobShape.TWO_NODES_OF_TWO.run(gas -> withSmall(gas, array -> {
            array.fill(77);
            Checkpoint checkpoint = Checkpoint.of(file, "test", array);
            checkpoint.write(5);
            byte[] right = Files.readAllBytes(file);
            Random random = new Random(seed);
            int[] places = IntStream.concat(IntStream.range(0, 40),
                IntStream.generate(() -> random.nextInt(right.length)).limit(60)).toArray();
            for (int place : places) {
                byte[] wrong = right.clone();
                wrong[place] ^= (byte) (1 << random.nextInt(8));
                replace(gas, file, wrong);
                String message = refused(checkpoint);
                assertTrue(message.startsWith(file + ": is ") && message.contains("byte"), () ->
                    "seed " + seed + ", byte " + place + ": " + message);
            }
            for (int length : new int[] {0, 31, 40, right.length - 1, right.length + 1}) {
                replace(gas, file, Arrays.copyOf(right, length));
                String message = refused(checkpoint);
                assertTrue(message.startsWith(file + ": is ") && message.contains(length < right.length ? "truncated"
                    : "too long"), message);
            }
            byte[] last = right.clone();
            last[right.length - 1] ^= 1;
            replace(gas, file, last);
            String message = refused(checkpoint);
            assertTrue(message.matches("\\Q" + file + "\\E: is damaged: its tile \\[.* of array 'A' at byte "
                + "[0-9]+, [0-9]+ bytes, has the checksum 0x[0-9a-f]{8}, and should have 0x[0-9a-f]{8} \\(CRC32C\\)"
                + " \\(rank 3\\)"), message);
            replace(gas, file, right);
            assertEquals(OptionalLong.of(5), checkpoint.restore());
        }));
    }

    @Test
    void shouldSayWhatDoesNotFit() {
        Path file = folder.resolve("state");
        JobShape.TWO_NODES_OF_TWO.run(gas -> withSmall(gas, array -> {
            Checkpoint.of(file, "test", array).write(1);
            assertEquals(file + ": is a checkpoint of 'test', not of 'tests' (rank 0)",
                refused(Checkpoint.of(file, "tests", array)));
            assertEquals(file + ": has 1 arrays, and 2 are to be read (rank 0)",
                refused(Checkpoint.of(file, "test", array, array)));
            for (Object[] other : new Object[][] {{"B", ElementType.INT, 9L}, {"A", ElementType.FLOAT, 9L},
                {"A", ElementType.INT, 8L}}) {
                GlobalArray wrong = GlobalArray.create(gas, (String) other[0], (ElementType) other[1], 11,
                    (long) other[2]);
                assertEquals(file + ": its array 0 is 'A', INT [0, 11) x [0, 9), and does not fit '" + other[0]
                    + "', " + other[1] + " [0, 11) x [0, " + other[2] + ") (rank 0)",
                    refused(Checkpoint.of(file, "test", wrong)));
                wrong.close();
            }
            String text = refused(Checkpoint.of(Path.of("/proc/self/status"), "test", array));
            assertTrue(text.startsWith("/proc/self/status: is no checkpoint"), text);
            assertThrows(IllegalArgumentException.class, () -> Checkpoint.of(file, "test"));
        }));
    }

    /** The name is too long for the one under which it is written first. */
    @Test
    void shouldKeepTheFormerCheckpointWhenNoneCanBeWritten() {
        Path file = folder.resolve("s".repeat(250));
        JobShape.TWO_NODES_OF_TWO.run(gas -> withSmall(gas, array -> {
            array.fill(3);
            Path brief = folder.resolve("state");
            Checkpoint.of(brief, "test", array).write(1);
            if (gas.rank() == 0) {
                Files.move(brief, file);
            }
            array.zero();
            Checkpoint checkpoint = Checkpoint.of(file, "test", array);
            String message = assertThrows(ArrayFileException.class, () -> checkpoint.write(2)).getMessage();
            assertTrue(message.startsWith(file + ".") && message.contains("File name too long"), message);
            assertEquals(OptionalLong.of(1), checkpoint.restore());
            assertEquals(3 * 99, IntView.of(array).reduce(Patch.whole(11, 9), 0, Integer::sum));
        }));
    }

    /** It would be written over the former one, and could not be read. */
    @Test
    void shouldRefuseToWriteWhenRanksDoNotWriteTheSame() {
        Path file = folder.resolve("state");
        JobShape.TWO_NODES_OF_TWO.run(gas -> withSmall(gas, a -> {
            GlobalArray b = GlobalArray.create(gas, "B", ElementType.LONG, 5);
            boolean isOdd = gas.rank() == 2;
            Checkpoint.of(file, "test", a, b).write(1);
            String begin = file + ": the ranks do not write the same checkpoint: ";
            assertEquals(begin + "step 0 on rank 0, 1 on rank 1 (rank 1)",
                refusedWrite(Checkpoint.of(file, "test", a, b), gas.rank()));
            assertEquals(begin + "'rest' with ['A', INT [0, 11) x [0, 9), 'B', LONG [0, 5)] on rank 2, something else"
                + " on rank 0 (rank 2)", refusedWrite(Checkpoint.of(file, isOdd ? "rest" : "test", a, b), 2));
            assertEquals(begin + "'test' with ['B', LONG [0, 5), 'A', INT [0, 11) x [0, 9)] on rank 2, something else"
                + " on rank 0 (rank 2)", refusedWrite(Checkpoint.of(file, "test", isOdd ? b : a, isOdd ? a : b), 2));
            assertEquals(begin + "'test' with ['A', INT [0, 11) x [0, 9)] on rank 2, something else on rank 0 (rank 2)",
                refusedWrite(Checkpoint.of(file, "test", isOdd ? new GlobalArray[] {a} : new GlobalArray[] {a, b}), 2));
            assertEquals(OptionalLong.of(1), Checkpoint.of(file, "test", a, b).restore());
            b.close();
            assertThrows(ArrayClosedException.class, Checkpoint.of(file, "test", a, b)::restore);
        }));
        assertArrayEquals(new String[] {"state"}, folder.toFile().list());
    }

    /** One rank alone finds that out. */
    @Test
    void shouldFailOnAllRanksWhenTheHeaderOfOneIsTooLong() {
        Path file = folder.resolve("state");
        JobShape.TWO_NODES_OF_TWO.run(gas -> withSmall(gas, array -> {
            String program = gas.rank() == 2 ? "p".repeat(64 << 20) : "test";
            String message = refusedWrite(Checkpoint.of(file, program, array), 1);
            assertTrue(message.startsWith(file + ": cannot be written: its header would have ")
                && message.endsWith(" (rank 2)"), message);
        }));
    }

    private static String refusedWrite(Checkpoint checkpoint, long step) {
        return assertThrows(ArrayFileException.class, () -> checkpoint.write(step)).getMessage();
    }

    /** As on hosts without a common file system, each with a file that jobs on it alone have left. */
    @Test
    void shouldRefuseToReadWhenRanksFindDifferentFiles() {
        Path one = folder.resolve("one");
        Path other = folder.resolve("other");
        JobShape.TWO_NODES_OF_TWO.run(gas -> withSmall(gas, array -> {
            array.fill(3);
            Checkpoint.of(one, "test", array).write(100);
            Checkpoint.of(other, "test", array).write(50);
            array.fill(4);
            String number = " \\(checksum 0x[0-9a-f]{8}\\)";
            String message = refused(Checkpoint.of(gas.node() == 0 ? one : other, "test", array));
            assertTrue(message.matches("\\Q" + other + "\\E: the ranks find different files of that name: step 100"
                + number + " on rank 0, step 50" + number + " on rank 2; all hosts have to see one \\(rank 2\\)"),
                message);
            Path none = folder.resolve("none");
            message = refused(Checkpoint.of(gas.node() == 0 ? none : other, "test", array));
            assertTrue(message.contains(": none on rank 0, step 50"), message);
            message = refused(Checkpoint.of(gas.node() == 0 ? one : none, "test", array));
            assertTrue(message.contains(" on rank 0, none on rank 2;"), message);
            assertEquals(4 * 99, IntView.of(array).reduce(Patch.whole(11, 9), 0, Integer::sum));
        }));
    }

    @Test
    void shouldRefuseToReadWhenRanksHaveDifferentNumbersOfArrays() {
        Path file = folder.resolve("state");
        JobShape.TWO_NODES_OF_TWO.run(gas -> withSmall(gas, a -> {
            Checkpoint.of(file, "test", a).write(1);
            assertEquals(file + ": has 1 arrays, and 2 are to be read (rank 1)", refused(Checkpoint.of(file, "test",
                gas.rank() == 1 ? new GlobalArray[] {a, a} : new GlobalArray[] {a})));
        }));
    }

    /** As of a program that saves its state because it is being ended. */
    @Test
    void shouldWriteAndRestoreWhenARankIsInterrupted() {
        Path file = folder.resolve("state");
        JobShape.TWO_NODES_OF_TWO.run(gas -> withSmall(gas, array -> {
            array.fill(3);
            array.get(10, 8); // opens a connection, which an interrupt ends
            Checkpoint checkpoint = Checkpoint.of(file, "test", array);
            if (gas.rank() == 1) {
                Thread.currentThread().interrupt();
            }
            checkpoint.write(1);
            array.zero();
            assertEquals(OptionalLong.of(1), checkpoint.restore());
            assertEquals(3 * 99, IntView.of(array).reduce(Patch.whole(11, 9), 0, Integer::sum));
            assertEquals(gas.rank() == 1, Thread.interrupted());
        }));
    }

    /** Where nobody can look, there may be a checkpoint: the program must not begin anew, and write over it. */
    @Test
    void shouldSayWhenItCannotLook() throws IOException {
        Path circle = folder.resolve("circle");
        Files.createSymbolicLink(circle, circle);
        Path tooLong = folder.resolve("s".repeat(300));
        Path none = folder.resolve("none/state");
        JobShape.TWO_NODES_OF_TWO.run(gas -> withSmall(gas, array -> {
            for (Path file : new Path[] {circle, tooLong}) {
                String message = refused(Checkpoint.of(file, "test", array));
                assertTrue(message.startsWith(file + ": cannot be looked at: ") && message.endsWith(" (rank 0)"),
                    message);
            }
            String message = assertThrows(ArrayFileException.class,
                () -> Checkpoint.of(tooLong, "test", array).write(1)).getMessage();
            assertTrue(message.startsWith(tooLong + ": cannot be looked at: "), message);
            assertEquals(OptionalLong.empty(), Checkpoint.of(none, "test", array).restore());
        }));
    }

    /** Links stay, also one to nothing; what is no file stays too, and so does what another job may be writing. */
    @Test
    void shouldReplaceTheFileOnly() throws IOException {
        Path other = Files.createDirectory(folder.resolve("other"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("other/second"));
        Path second = Files.createSymbolicLink(other.resolve("second"), Path.of("../other/state"));
        Path old = Files.createFile(other.resolve("state.0123456789abcdef.new"));
        Path young = Files.createFile(other.resolve("state.0123456789abcdee.new"));
        Path foreign = Files.createFile(other.resolve("state.a.new"));
        for (Path one : new Path[] {old, foreign}) {
            Files.setLastModifiedTime(one, FileTime.from(Instant.now().minus(Duration.ofDays(2))));
        }
        JobShape.TWO_NODES_OF_TWO.run(gas -> withSmall(gas, array -> {
            Checkpoint checkpoint = Checkpoint.of(link, "test", array);
            checkpoint.write(1);
            checkpoint.write(2);
            assertEquals(OptionalLong.of(2), checkpoint.restore());
            for (Path none : new Path[] {other, Path.of("/dev/null")}) {
                String message = assertThrows(ArrayFileException.class,
                    () -> Checkpoint.of(none, "test", array).write(3)).getMessage();
                assertEquals(none + ": is no regular file, so it cannot be replaced (rank 0)", message);
            }
        }));
        assertTrue(Files.isSymbolicLink(link) && Files.isSymbolicLink(second));
        assertEquals(Set.of(second, young, foreign, other.resolve("state")), paths(other));
        assertEquals(Set.of(link, other), paths(folder));
    }

    private static Set<Path> paths(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.collect(Collectors.toSet());
        }
    }

    /** On a file system of its own, for which the test needs to be root. */
    @Test
    void shouldKeepTheFormerCheckpointWhenTheDiskIsFull() throws Exception {
        Path disk = Files.createDirectory(folder.resolve("disk"));
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=3m", "none", disk.toString()), "needs to be root");
        try {
            Path file = disk.resolve("state");
            JobShape.TWO_NODES_OF_TWO.run(gas -> withSmall(gas, array -> {
                array.fill(3);
                Checkpoint checkpoint = Checkpoint.of(file, "test", array);
                checkpoint.write(1);
                GlobalArray large = GlobalArray.create(gas, "large", ElementType.DOUBLE, LARGE);
                for (int i = 0; i < 20; i++) { // whichever rank is the first to look, nothing is left
                    String message = assertThrows(ArrayFileException.class,
                        () -> Checkpoint.of(file, "large", large).write(2)).getMessage();
                    assertArrayEquals(new String[] {"state"}, disk.toFile().list());
                    gas.barrier();
                    assertTrue(message.matches("\\Q" + file
                        + "\\E\\.[0-9a-f]{16}\\.new: cannot write .*No space left.*"), message);
                }
                large.close();
                array.zero();
                assertEquals(OptionalLong.of(1), checkpoint.restore());
                assertEquals(3 * 99, IntView.of(array).reduce(Patch.whole(11, 9), 0, Integer::sum));
            }));
        } finally {
            run("umount", disk.toString());
        }
    }

    private static boolean run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getInputStream().readAllBytes();
        return process.waitFor(250, TimeUnit.SECONDS) && process.exitValue() == 0;
    }

    private interface Body {
        void accept(GlobalArray array) throws IOException;
    }

    private static void withSmall(Gas gas, Body body) {
        GlobalArray array = GlobalArray.create(gas, "A", ElementType.INT, 11, 9);
        try {
            body.accept(array);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        array.close();
    }

    /** By one rank, as the others look at it only then. */
    private static void replace(Gas gas, Path file, byte[] bytes) throws IOException {
        gas.barrier();
        if (gas.rank() == 0) {
            Files.write(file, bytes);
        }
        gas.barrier();
    }

    /** Every rank gets the same message. */
    private static String refused(Checkpoint checkpoint) {
        return assertThrows(ArrayFileException.class, checkpoint::restore).getMessage();
    }
}

package org.tributary.wire.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.wire.shape.Accumulator;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;
import org.tributary.wire.shape.StridedRegion;

/** Files of shared memory: reserved or refused, and larger than an int can count. */
class SharedFileTest {
    private static final Path SHM = Path.of("/dev/shm");

    @TempDir
    private Path directory;

    private static boolean runs(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
    }

    @Test
    void shouldSayNeedFreeAndMountWhenThereIsNoRoom() throws IOException, InterruptedException {
        Path small = Files.createDirectory(directory.resolve("small"));
        assumeTrue(runs("mount", "-t", "tmpfs", "-o", "size=1m", "tributary-test", small.toString()),
            "needs the right to mount a small tmpfs");
        try {
            SharedFile.create(small.resolve("half"), 512 << 10);
            SharedFile.NoSpaceException refused = assertThrows(SharedFile.NoSpaceException.class,
                () -> SharedFile.create(small.resolve("more"), 600 << 10));
            assertEquals(600 << 10, refused.needInBytes());
            assertEquals(512 << 10, refused.freeInBytes());
            assertEquals(small + " (tmpfs)", refused.mount());
            assertEquals("no room for " + small.resolve("more") + ": needs 614400 bytes, " + small
                + " (tmpfs) has 524288 free; free some or enlarge the mount", refused.getMessage());
            assertFalse(Files.exists(small.resolve("more")), "left behind");
            SharedFile.create(small.resolve("rest"), 512 << 10);
            try (Arena arena = Arena.ofConfined()) {
                SharedFile.map(small.resolve("rest"), arena).fill((byte) 1); // reserved, so no bus error
            }
        } finally {
            assertTrue(runs("umount", small.toString()));
        }
    }

    @Test
    void shouldBeZeroedReservedAndPrivateWhenCreated() throws IOException {
        Path file = Files.createTempDirectory(SHM, "shared-file-test-").resolve("file");
        try (Arena arena = Arena.ofConfined()) {
            SharedFile.create(file, 10_000);
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
            MemorySegment memory = SharedFile.map(file, arena);
            assertEquals(-1, memory.mismatch(MemorySegment.ofArray(new byte[10_000])));
            assertEquals(10_000, memory.byteSize());
            assertThrows(FileAlreadyExistsException.class, () -> SharedFile.create(file, 1));
        } finally {
            Files.deleteIfExists(file);
            Files.delete(file.getParent());
        }
    }

    @Test
    void shouldBeEmptyWhenLengthIsZero() throws IOException {
        Path file = directory.resolve("empty");
        SharedFile.create(file, 0);
        assertEquals(0, Files.size(file));
        assertEquals(0, SharedFile.map(file, Arena.ofAuto()).byteSize());
    }

    /** The file is sparse, so that only the pages that are touched cost memory. */
    @Test
    void shouldReachEveryByteWhenSegmentIsBeyondFourGib() throws IOException {
        long length = (9L << 30) + 4096;
        Path file = Files.createTempFile(SHM, "shared-file-test-", "");
        try (Arena arena = Arena.ofConfined();
            FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(1), length - 1);
            MemorySegment memory = SharedFile.map(file, arena);
            assertEquals(length, memory.byteSize());
            long far = (4L << 30) + 8;
            SharedWord.setLongRelease(memory, length - 8, 42);
            assertEquals(42, SharedWord.getLongAcquire(memory, length - 8));
            assertEquals(0, SharedWord.getAndAdd(memory, far, 3));
            assertEquals(3, SharedWord.getAcquire(memory, far));
            assertEquals(0, SharedWord.getAcquire(memory, 8), "the offset was cut to 32 bits");

            StridedRegion region = new StridedRegion().begin(memory, length - 4096, 8).level(-(4L << 30), 3);
            assertEquals(4096 - 4096 + (1L << 30), region.low());
            region.scatter(MemorySegment.ofArray(new long[] {1, 2, 3}), 0, 24);
            AccumulateLocks locks =
                new AccumulateLocks("a table", arena.allocate(AccumulateLocks.BYTES, 64), 1, token -> true, () -> { });
            new Accumulator(locks).combine(ReduceOp.SUM, ElementType.LONG, 10, 0,
                MemorySegment.ofArray(new long[] {1, 2, 3}), 0, 24,
                new StridedRegion().begin(memory, length - 4096, 8).level(-(4L << 30), 3), 1, 0);
            for (int i = 0; i < 3; i++) {
                assertEquals(11 * (i + 1), memory.get(ValueLayout.JAVA_LONG, length - 4096 - i * (4L << 30)));
            }
        } finally {
            Files.delete(file);
        }
    }
}

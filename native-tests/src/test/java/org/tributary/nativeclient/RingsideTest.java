package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.wire.shm.RequestRing;
import org.tributary.wire.shm.RingFile;
import org.tributary.wire.shm.ServerBell;
import org.tributary.wire.shm.SharedFile;

/** The rank's side of a ring in C against the server's in Java, over a file that both have mapped. */
@SuppressWarnings("restricted") // calling C is what this class is for
class RingsideTest {
    private static final int CAPACITY = 4096;
    private static final long WAKE_MS = 250_000;
    private static final int WAKE = 12;
    private static final int REMINDERS = 20_000;

    @TempDir
    private Path directory;
    private final Arena arena = Arena.ofShared();
    private RingFile rings;
    private MethodHandle send;
    private MethodHandle awaitWake;
    private MemorySegment rank;
    private SymbolLookup library;

    @BeforeEach
    void open() throws IOException {
        NativeBuild.assumeBuilt();
        library = SymbolLookup.libraryLookup(NativeBuild.program("libringside.so"), arena);
        rings = RingFile.create(directory.resolve("rings"), arena, 2, CAPACITY);
        send = function("ringside_send", ValueLayout.JAVA_BOOLEAN, ValueLayout.ADDRESS, ValueLayout.ADDRESS,
            ValueLayout.JAVA_LONG);
        awaitWake = function("ringside_await_wake", ValueLayout.JAVA_BOOLEAN, ValueLayout.ADDRESS,
            ValueLayout.JAVA_INT);
        rank = (MemorySegment) call(function("ringside_open", ValueLayout.ADDRESS, ValueLayout.ADDRESS,
            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT), arena.allocateFrom(directory.toString()), 2, 1);
        assertTrue(rank.address() != 0, this::error);
        assertTrue(isWoken(), "it begins with a wake-up");
    }

    @AfterEach
    void close() {
        arena.close();
    }

    private MethodHandle function(String name, ValueLayout result, ValueLayout... parameters) {
        return Linker.nativeLinker().downcallHandle(library.findOrThrow(name),
            FunctionDescriptor.of(result, parameters));
    }

    private static Object call(MethodHandle function, Object... arguments) {
        try {
            return function.invokeWithArguments(arguments);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private String error() {
        MemorySegment text = (MemorySegment) call(function("ringside_error", ValueLayout.ADDRESS));
        return text.reinterpret(512).getString(0);
    }

    private boolean isWoken() {
        return (boolean) call(awaitWake, rank, (int) WAKE_MS);
    }

    private boolean send(MemorySegment bytes, int length) {
        return (boolean) call(send, rank, bytes, (long) length);
    }

    @Test
    void shouldCarryEveryByteInOrderAndLoseNoWakeUpWhenBothAreAtWork() {
        carry(2 << 20);
    }

    @Test
    @Tag("campaign")
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    void shouldCarryGigabytesInOrderAndLoseNoWakeUp() {
        carry(Long.getLong("campaign.ring-bytes", 4L << 30));
    }

    /** The server sleeps whenever the ring is empty; nobody wakes it but the bell. */
    private void carry(long total) {
        CompletableFuture<Boolean> sent = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            Random bytes = new Random(1);
            Random lengths = new Random(2);
            MemorySegment piece = arena.allocate(3 * CAPACITY);
            boolean taken = true;
            for (long done = 0; taken && done < total;) {
                int most = lengths.nextInt(8) == 0 ? 3 * CAPACITY / 8 : 8;
                int length = (int) Math.min(8 * (1 + lengths.nextInt(most - 1)), total - done);
                for (int i = 0; i < length; i += Long.BYTES) {
                    piece.set(ValueLayout.JAVA_LONG_UNALIGNED, i, bytes.nextLong());
                }
                taken = send(piece, length);
                done += length;
            }
            sent.complete(taken);
        });
        RequestRing.Reader reader = rings.reader(1);
        ServerBell bell = rings.bell();
        Random expected = new Random(1);
        MemorySegment copy = arena.allocate(CAPACITY);
        long sleeps = 0;
        for (long taken = 0; taken < total;) {
            int seen = bell.rings();
            int length = reader.available() & -Long.BYTES;
            if (length > 0) {
                reader.copy(copy, length);
                reader.take(length);
                for (int i = 0; i < length; i += Long.BYTES) {
                    assertEquals(expected.nextLong(), copy.get(ValueLayout.JAVA_LONG_UNALIGNED, i),
                        "at " + (taken + i));
                }
                taken += length;
            } else if (bell.sleep(seen)) {
                sleeps++;
                assertTrue(isWoken(), "a wake-up was lost, after " + taken + " bytes");
                bell.awake();
            }
        }
        assertTrue(sent.join());
        assertTrue(sleeps > 10, sleeps + " sleeps");
    }

    /** Whatever follows the first half of a wake-up must be its other half. */
    @Test
    void shouldRemindOfNothingMoreWhenTheServerHasNotReadForLong() {
        MethodHandle remind = function("ringside_remind", ValueLayout.JAVA_BOOLEAN, ValueLayout.ADDRESS);
        MethodHandle read = function("ringside_read", ValueLayout.JAVA_LONG, ValueLayout.ADDRESS, ValueLayout.ADDRESS,
            ValueLayout.JAVA_LONG, ValueLayout.JAVA_BOOLEAN);
        MemorySegment wakes = arena.allocate((long) REMINDERS * WAKE);
        assertTrue(send(arena.allocate(8), 8));
        long length = 0;
        for (int i = 0; i < REMINDERS; i++) {
            assertTrue((boolean) call(remind, rank), "reminder " + i);
            if (i % 1000 == 0) {
                length += (long) call(read, rank, wakes.asSlice(length), wakes.byteSize() - length, false);
            }
        }
        length += (long) call(read, rank, wakes.asSlice(length), wakes.byteSize() - length, true);
        assertTrue(length < wakes.byteSize(), "the socket was never full");
        for (long at = 0; at + WAKE <= length; at += WAKE) {
            assertEquals(WAKE, wakes.get(ValueLayout.JAVA_INT_UNALIGNED, at), "length of the wake-up at " + at);
            assertEquals(-1, wakes.asSlice(0, WAKE).mismatch(wakes.asSlice(at, WAKE)), "the wake-up at " + at);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 9, Long.MIN_VALUE, Long.MAX_VALUE})
    void shouldRefuseWhenTheHeadCannotBe(long head) throws IOException {
        MemorySegment bytes = arena.allocate(8);
        assertTrue(send(bytes, 8));
        long ring = 256 + 256 + CAPACITY;
        SharedFile.map(directory.resolve("rings"), arena).set(ValueLayout.JAVA_LONG, ring + 128, head);
        assertFalse(send(bytes, 8));
        assertTrue(error().contains("the head of ring 1 is " + head
            + ", not between 0, which it was, and 8, its tail"), this::error);
    }
}

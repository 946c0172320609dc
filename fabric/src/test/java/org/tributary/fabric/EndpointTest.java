package org.tributary.fabric;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Reads and writes of endpoints in one process. */
class EndpointTest {
    private static final int BYTES = 300_000;
    /** More than fit the queue of the other side. */
    private static final int MANY = 5_000;
    private static final long LONG_SLEEP_NS = TimeUnit.SECONDS.toNanos(250);

    @ParameterizedTest
    @MethodSource("org.tributary.testsupport.TestedProviders#constants")
    void shouldMoveBytesWhenWrittenAndRead(FabricKind kind) {
        try (Places places = new Places(kind)) {
            Region source = places.memory(places.here, 2 * BYTES);
            Region target = places.memory(places.there, BYTES);
            RemoteRegion remote = places.remote(target);
            byte[] random = new byte[BYTES - 3];
            new Random(1).nextBytes(random);
            source.memory().asSlice(0, BYTES - 3).copyFrom(MemorySegment.ofArray(random));
            places.await(() -> remote.writeDelivered(3, source, 0, BYTES - 3, 7));
            places.await(() -> places.toldHere.completed.equals(List.of(7)));
            assertArrayEquals(random, Places.bytes(target.memory().asSlice(3)));
            places.await(() -> remote.read(3, source, BYTES, BYTES - 3, Integer.MAX_VALUE));
            places.await(() -> places.toldHere.completed.equals(List.of(7, Integer.MAX_VALUE)));
            assertArrayEquals(random, Places.bytes(source.memory().asSlice(BYTES, BYTES - 3)));
            places.await(() -> remote.write(0, source, 0, 3, 8));
            places.await(() -> remote.read(0, source, BYTES, 3, 9));
            places.await(() -> places.toldHere.completed.size() == 4);
            assertTrue(places.toldHere.failed.isEmpty() && places.toldThere.failed.isEmpty());
        }
    }

    /** Only adapters need a registration. */
    @ParameterizedTest
    @MethodSource("org.tributary.testsupport.TestedProviders#constants")
    void shouldUseMemoryThatIsNotRegisteredWhenTheProviderCan(FabricKind kind) {
        try (Places places = new Places(kind)) {
            LocalMemory any = places.here.anyMemory().orElse(null);
            assertEquals(kind == FabricKind.TCP || kind == FabricKind.SHM, any != null);
            assumeTrue(any != null, "other adapters have to know the memory");
            Region target = places.memory(places.there, BYTES);
            RemoteRegion remote = places.remote(target);
            MemorySegment source = places.arena.allocate(BYTES);
            byte[] random = new byte[BYTES];
            new Random(2).nextBytes(random);
            source.copyFrom(MemorySegment.ofArray(random));
            places.await(() -> remote.writeDelivered(0, any, source.address(), BYTES, 1));
            places.await(() -> places.toldHere.completed.equals(List.of(1)));
            assertArrayEquals(random, Places.bytes(target.memory()));
            MemorySegment back = places.arena.allocate(BYTES);
            places.await(() -> remote.read(0, any, back.address(), BYTES, 2));
            places.await(() -> places.toldHere.completed.equals(List.of(1, 2)));
            assertArrayEquals(random, Places.bytes(back));
            any.close();
            assertThrows(IllegalStateException.class, () -> remote.read(0, any, back.address(), 8, 3));
        }
    }

    /** Some have no room at first, also those that have been written and are to be read back (shm). */
    @ParameterizedTest
    @MethodSource("org.tributary.testsupport.TestedProviders#constants")
    void shouldCompleteEachOnceWhenTheOtherSideIsLate(FabricKind kind) {
        try (Places places = new Places(kind)) {
            Region source = places.memory(places.here, Long.BYTES);
            Region target = places.memory(places.there, MANY);
            RemoteRegion remote = places.remote(target);
            places.await(() -> remote.writeDelivered(0, source, 0, 1, MANY));
            places.await(() -> places.toldHere.completed.equals(List.of(MANY)));
            source.memory().fill((byte) 5);
            for (int i = 0; i < MANY; i++) {
                int number = i;
                int before = places.toldHere.completed.size();
                for (int look = 0; look < 10 && places.toldHere.completed.size() == before; look++) {
                    places.here.poll(places.toldHere);
                }
                places.await(() -> remote.writeDelivered(number, source, 0, 1, number));
            }
            places.await(() -> places.toldHere.completed.size() == MANY + 1);
            assertEquals(IntStream.rangeClosed(0, MANY).boxed().toList(),
                places.toldHere.completed.stream().sorted().toList());
            assertTrue(places.toldHere.failed.isEmpty());
            byte[] all = new byte[MANY];
            Arrays.fill(all, (byte) 5);
            assertArrayEquals(all, Places.bytes(target.memory()));
        }
    }

    @ParameterizedTest
    @MethodSource("org.tributary.testsupport.TestedProviders#constants")
    void shouldTellTheOtherSideWhenDataGoWithAWrite(FabricKind kind) {
        try (Places places = new Places(kind)) {
            Region source = places.memory(places.here, 64);
            Region target = places.memory(places.there, 64);
            RemoteRegion remote = places.remote(target);
            source.memory().fill((byte) 5);
            places.await(() -> remote.writeWithData(0, source, 0, 32, 0xcafebabe, 1));
            places.await(() -> remote.injectWithData(32, source.memory(), 0, 16, -1));
            places.await(() -> places.toldThere.arrived.size() == 2 && places.toldHere.completed.size() == 1);
            assertEquals(List.of(0xcafebabe, -1), places.toldThere.arrived.stream().sorted().toList());
            assertEquals(List.of(1), places.toldHere.completed);
            assertEquals(5, Places.bytes(target.memory())[47]);
            source.memory().fill((byte) 6);
            places.await(() -> remote.writeDeliveredWithData(0, source, 0, 48, 77, 2));
            places.await(() -> places.toldThere.arrived.size() == 3 && places.toldHere.completed.size() == 2);
            assertEquals(List.of(0xcafebabe, -1, 77), places.toldThere.arrived.stream().sorted().toList());
            assertEquals(6, Places.bytes(target.memory())[47]);
            places.await(() -> remote.writeDelivered(0, source, 0, 48, 3)); // tells nobody there
            places.await(() -> places.toldHere.completed.size() == 3);
            assertEquals(3, places.toldThere.arrived.size());
            assertEquals(0, Places.bytes(target.memory())[48]);
        }
    }

    @Test
    void shouldTellTheProvidersReasonWhenAKeyIsWrong() {
        try (Places places = new Places(Places.first())) {
            Region source = places.memory(places.here, 64);
            Region target = places.memory(places.there, 64);
            RegionKey key = target.key();
            RemoteRegion wrong = places.here.peer(places.there.address())
                .region(new RegionKey(key.base(), key.key() + 5, key.bytes()));
            places.await(() -> wrong.read(0, source, 0, 64, 3));
            places.await(() -> !places.toldHere.failed.isEmpty());
            assertEquals(List.of(3), places.toldHere.failed);
            assertTrue(places.toldHere.reason.getMessage().startsWith("an operation of endpoint of "
                + Places.first().provider() + " on "),
                places.toldHere.reason.getMessage());
            assertTrue(places.toldHere.reason.code() > 0);
        }
    }

    /** A cache of regions would keep it open. */
    @Test
    void shouldFailWhenTheRegionOfTheTargetIsClosed() {
        try (Places places = new Places(Places.first())) {
            Region source = places.memory(places.here, 64);
            Region target = places.memory(places.there, 64);
            RemoteRegion remote = places.remote(target);
            places.await(() -> remote.write(0, source, 0, 64, 1));
            places.await(() -> places.toldHere.completed.equals(List.of(1)));
            target.close();
            places.await(() -> remote.read(0, source, 0, 64, 2));
            places.await(() -> places.toldHere.failed.equals(List.of(2)));
        }
    }

    @Test
    void shouldRefuseWhenOutOfBoundsOrClosed() {
        try (Places places = new Places(FabricKind.SHM)) {
            Region source = places.memory(places.here, 64);
            Region target = places.memory(places.there, 64);
            RemoteRegion remote = places.remote(target);
            assertThrows(IndexOutOfBoundsException.class, () -> remote.write(1, source, 0, 64, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> remote.read(0, source, 60, 5, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> remote.inject(-1, source.memory(), 0, 1));
            assertThrows(IllegalArgumentException.class, () -> remote.read(0, source, 0, 1, -1));
            assertThrows(IllegalArgumentException.class,
                () -> remote.inject(0, MemorySegment.ofArray(new long[1]), 0, 8));
            assertThrows(IllegalArgumentException.class,
                () -> places.here.register(MemorySegment.ofArray(new byte[8])));
            assertThrows(IllegalArgumentException.class, () -> places.here.peer(new byte[256]));
            source.close();
            assertThrows(IllegalStateException.class, () -> remote.write(0, source, 0, 8, 0));
            places.here.close();
            assertThrows(IllegalStateException.class, () -> remote.write(0, source, 0, 8, 0));
            assertThrows(IllegalStateException.class, () -> places.here.poll(places.toldHere));
            places.here.close();
        }
    }

    @Test
    void shouldHaveADescriptorWhenTheProviderHasOne() {
        try (Places first = new Places(Places.first())) {
            assertTrue(first.here.waitDescriptor().orElse(-1) >= 0);
            first.await(first.here::maySleep);
        }
        try (Places shm = new Places(FabricKind.SHM)) {
            assertTrue(shm.here.waitDescriptor().isEmpty());
            assertFalse(shm.here.maySleep());
        }
    }

    @Test
    void shouldWakeWhenTheOtherSideAnswers() throws Exception {
        try (Places places = new Places(Places.first())) {
            Region source = places.memory(places.here, Long.BYTES);
            RemoteRegion remote = places.remote(places.memory(places.there, Long.BYTES));
            places.await(() -> remote.writeDelivered(0, source, 0, Long.BYTES, 1));
            places.await(() -> places.toldHere.completed.equals(List.of(1)));
            assertTrue(remote.read(0, source, 0, Long.BYTES, 2));
            while (!places.here.maySleep()) {
                places.here.poll(places.toldHere);
            }
            if (places.toldHere.completed.equals(List.of(1, 2))) {
                return; // the adapter of the other side reads by itself, and was done before this one would have slept
            }
            assertEquals(List.of(1), places.toldHere.completed);
            AtomicBoolean isAwake = new AtomicBoolean();
            CompletableFuture<Void> other = CompletableFuture.runAsync(() -> {
                while (!isAwake.get()) {
                    places.there.poll(places.toldThere);
                }
            });
            long sinceNs = System.nanoTime();
            Endpoint.sleep(places.here.waitDescriptor().orElseThrow(), LONG_SLEEP_NS);
            assertTrue(System.nanoTime() - sinceNs < LONG_SLEEP_NS, "nothing woke it");
            isAwake.set(true);
            other.get();
            places.await(() -> places.toldHere.completed.equals(List.of(1, 2)));
        }
    }

    /** Provider shm would handle the signals that a JVM finds null references and full stacks by. */
    @Test
    void shouldLeaveTheVirtualMachineItsSignalsWhenShmIsOpen() {
        try (Places places = new Places(FabricKind.SHM)) {
            int[][] arrays = {new int[1], null};
            int found = 0;
            for (int i = 0; i < 200_000; i++) { // compiled: without an explicit check
                try {
                    found += lengthOf(arrays[i % 100 == 0 ? 1 : 0]);
                } catch (NullPointerException e) {
                    found += 1000;
                }
            }
            assertEquals(198_000 + 2_000 * 1000, found);
            assertThrows(StackOverflowError.class, () -> deeper(0));
            assertTrue(places.here.address().length > 0);
        }
    }

    private static int lengthOf(int[] array) {
        return array.length;
    }

    private static int deeper(int depth) {
        return depth < 0 ? 0 : deeper(depth + 1) + 1;
    }
}

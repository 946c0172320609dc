package org.tributary.client.adapter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tributary.fabric.Domain;
import org.tributary.fabric.Endpoint;
import org.tributary.fabric.Fabric;
import org.tributary.fabric.FabricException;
import org.tributary.fabric.FabricKind;
import org.tributary.fabric.LocalMemory;
import org.tributary.fabric.Region;
import org.tributary.fabric.RemoteRegion;

/** Which memory of callers stays registered, and for how long. */
class RegistrationsTest {
    private static final int BYTES = 100_000;
    private static final int NO_MEMORY = 12;
    private static final int TRIES = 2000;

    private final Arena arena = Arena.ofConfined();
    private final List<String> warnings = new ArrayList<>();
    /** What the next registrations fail with; none for 0. */
    private int failure;
    private long mostRegistered = Long.MAX_VALUE;
    private long attempts;
    private Domain domain;
    private Endpoint endpoint;
    private RemoteRegion remote;
    private Registrations registrations;

    @BeforeEach
    void open() {
        assumeTrue(Fabric.load().isPresent(), Fabric.load()::absence);
        domain = Domain.open(Fabric.load().providers(FabricKind.SHM, null).getFirst());
        endpoint = domain.open();
        Region region = endpoint.register(arena.allocate(8));
        remote = endpoint.peer(endpoint.address()).region(region.key());
        registrations = new Registrations(this::register, warnings::add);
    }

    @AfterEach
    void close() {
        if (domain != null) {
            domain.close();
        }
        arena.close();
    }

    private LocalMemory register(MemorySegment memory) {
        attempts++;
        if (failure != 0 || registrations.bytes() + memory.byteSize() > mostRegistered) {
            throw new FabricException("not now", failure == 0 ? NO_MEMORY : failure);
        }
        return endpoint.registerLocally(memory);
    }

    private Registration take(MemorySegment memory) {
        return registrations.take(memory, 0, memory.byteSize(), memory.byteSize());
    }

    /** Takes it for a transfer that ends at once. */
    private Registration use(MemorySegment memory) {
        Registration taken = take(memory);
        assertNotNull(taken);
        taken.ended();
        return taken;
    }

    private boolean isClosed(Registration registration) {
        try {
            remote.read(0, registration.local(), 0, 8, 1);
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    @Test
    void shouldFindMemoryAgainWhileItsArenaIsOpen() {
        MemorySegment memory = arena.allocate(BYTES);
        Registration first = use(memory);
        assertSame(first, use(memory.asSlice(5, BYTES - 10)));
        assertEquals(5, first.local().offsetOf(memory.address() + 5));
        assertEquals(1, registrations.made());
        assertEquals(2, registrations.taken());
        assertFalse(isClosed(first));
    }

    @Test
    void shouldRegisterAnewWhenMemoryReachesFarther() {
        MemorySegment memory = arena.allocate(BYTES);
        Registration first = use(memory.asSlice(0, BYTES - 1));
        assertNotSame(first, use(memory));
        assertEquals(2, registrations.made());
    }

    @Test
    void shouldNotUseARegistrationWhenOtherMemoryHasItsAddresses() {
        Arena before = Arena.ofConfined();
        MemorySegment old = before.allocate(BYTES);
        long address = old.address();
        Registration first = use(old);
        before.close();
        List<Arena> others = new ArrayList<>();
        try {
            MemorySegment again = null;
            while (again == null && others.size() < TRIES) {
                others.add(Arena.ofConfined());
                MemorySegment next = others.getLast().allocate(BYTES);
                again = next.address() == address ? next : null;
            }
            assumeTrue(again != null, "the addresses have not come back");
            assertNotSame(first, use(again));
            assertTrue(isClosed(first));
        } finally {
            others.forEach(Arena::close);
        }
    }

    @Test
    void shouldCloseThoseOfClosedArenasWhenAnotherIsMade() {
        List<Registration> dead = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            try (Arena own = Arena.ofConfined()) {
                dead.add(use(own.allocate(BYTES)));
            }
        }
        use(arena.allocate(BYTES));
        assertEquals(1, registrations.count());
        assertEquals(BYTES, registrations.bytes());
        assertTrue(dead.stream().allMatch(this::isClosed));
    }

    /** Native memory that a program has got elsewhere has that scope, too. */
    @Test
    void shouldNotKeepMemoryOfTheGlobalScope() {
        MemorySegment memory = Arena.global().allocate(Registrations.ONCE_BYTES);
        Registration first = take(memory);
        assertFalse(isClosed(first));
        Registration second = take(memory);
        assertNotSame(first, second);
        first.ended();
        assertTrue(isClosed(first));
        assertFalse(isClosed(second));
        second.ended();
        assertEquals(0, registrations.count());
        assertNull(take(memory.asSlice(1)));
    }

    @Test
    void shouldRegisterAPartWhenTheMemoryIsLarge() {
        MemorySegment memory = arena.allocate(5 * Registrations.CHUNK_BYTES);
        for (long at = 0; at < memory.byteSize(); at += BYTES) {
            long end = Math.min(memory.byteSize(), at + BYTES);
            Registration part = registrations.take(memory, at, end, end - at);
            assertTrue(part.bytes() <= 2 * Registrations.CHUNK_BYTES);
            part.ended();
        }
        assertTrue(registrations.count() <= 12, "parts that follow each other, and those that two of them share");
        assertNull(registrations.take(arena.allocate(BYTES), 0, BYTES, BYTES / 5), "of which little is moved");
        assertNull(registrations.take(memory, 1, memory.byteSize() + 1, memory.byteSize()), "beyond its end");
        assertNull(registrations.take(memory.asReadOnly(), 0, BYTES, BYTES), "whose file may not be writable");
    }

    @Test
    void shouldLetTheLeastRecentlyUsedGoWhenLargeMemoryComes() {
        long part = Registrations.MOST_BYTES / 4;
        MemorySegment memory = arena.allocate(5 * part, Registrations.CHUNK_BYTES);
        Registration first = take(memory.asSlice(0, part));
        Registration second = use(memory.asSlice(part, part));
        Registration third = use(memory.asSlice(2 * part, part));
        Registration fourth = use(memory.asSlice(3 * part, part));
        assertSame(second, use(memory.asSlice(part, part)));
        use(memory.asSlice(4 * part, part));
        assertTrue(isClosed(third));
        assertFalse(isClosed(first), "is in use");
        assertFalse(isClosed(second));
        use(memory.asSlice(2 * part, part));
        assertTrue(isClosed(fourth));
        first.ended();
        assertFalse(isClosed(first));
        assertTrue(registrations.bytes() <= Registrations.MOST_BYTES);
        assertNull(take(memory), "what would hold others up is copied");
    }

    @Test
    void shouldNotRegisterInTurnsWhenMuchSmallMemoryComes() {
        List<MemorySegment> all = new ArrayList<>();
        for (int i = 0; i < Registrations.MOST + 50; i++) {
            all.add(arena.allocate(1000));
        }
        for (int round = 0; round < 10; round++) {
            int copied = 0;
            for (MemorySegment each : all) {
                Registration taken = take(each);
                if (taken == null) {
                    copied++;
                } else {
                    taken.ended();
                }
            }
            assertEquals(50, copied);
        }
        assertEquals(Registrations.MOST, registrations.made());
        for (int i = 0; i <= Registrations.PATIENCE; i++) {
            use(all.getFirst());
        }
        use(all.getLast());
        assertEquals(Registrations.MOST, registrations.count());
        assertEquals(Registrations.MOST + 1, registrations.made());
    }

    @Test
    void shouldWarnOnceAndTryMuchLessWhenMemoryCannotBeRegistered() {
        failure = NO_MEMORY;
        assertNull(take(arena.allocate(BYTES)));
        assertEquals(1, warnings.size());
        assertTrue(warnings.getFirst().startsWith("cannot register 100000 bytes of its memory for the network adapter,"
            + " so data of 25000 bytes and more are copied: not now"), warnings::toString);
        assertNull(take(arena.allocate(BYTES)));
        assertNull(take(arena.allocate(BYTES / 4)));
        assertEquals(1, attempts);
        assertNull(take(arena.allocate(BYTES / 5)));
        assertEquals(2, attempts);
        failure = 0;
        assertNull(take(arena.allocate(BYTES / 5)));
        use(arena.allocate(BYTES / 100));
        assertEquals(1, warnings.size());
    }

    /** What is too large alone says nothing of what else can be kept. */
    @Test
    void shouldKeepAsMuchAsBeforeWhenALargeOneFails() {
        long large = Registrations.ONCE_BYTES;
        mostRegistered = 5 * large / 2;
        MemorySegment small = arena.allocate(large / 2);
        use(small);
        assertNull(take(arena.allocate(4 * large)));
        long made = registrations.made();
        MemorySegment other = arena.allocate(large / 2);
        use(other);
        use(small);
        use(other);
        use(small);
        assertEquals(made + 2, registrations.made());
    }

    /** The limit of locked memory is found out by reaching it. */
    @Test
    void shouldKeepLessWhenMoreCannotBeRegistered() {
        long large = Registrations.ONCE_BYTES;
        mostRegistered = 5 * large / 2;
        List<MemorySegment> all = List.of(arena.allocate(large), arena.allocate(large), arena.allocate(large));
        use(all.get(0));
        use(all.get(1));
        Registration third = use(all.get(2));
        assertEquals(4, attempts, "the third one failed at first");
        for (int i = 0; i < 9; i++) {
            use(all.get(i % 3));
        }
        assertEquals(attempts, registrations.made() + 1);
        assertTrue(registrations.bytes() <= 2 * large);
        assertTrue(isClosed(third));
        assertEquals(List.of(), warnings);
    }

    @Test
    void shouldCopyMemoryThatMustNotBeWritten() {
        failure = FabricException.BAD_ADDRESS;
        assertNull(take(arena.allocate(BYTES)));
        failure = 0;
        use(arena.allocate(BYTES));
        assertEquals(List.of(), warnings);
    }

    @Test
    void shouldTryNoMoreWhenOthersWouldReachTheMemory() {
        failure = FabricException.NO_SYSTEM_CALL;
        assertNull(take(arena.allocate(BYTES)));
        failure = 0;
        assertNull(take(arena.allocate(BYTES)));
        assertEquals(1, attempts);
        assertEquals(List.of(), warnings);
    }

    @Test
    void shouldEndWithTheEndpoint() {
        Registration kept = use(arena.allocate(BYTES));
        Registration used = take(arena.allocate(BYTES));
        endpoint.close();
        assertTrue(isClosed(kept) && isClosed(used));
        used.ended();
        assertTrue(isClosed(used));
    }
}

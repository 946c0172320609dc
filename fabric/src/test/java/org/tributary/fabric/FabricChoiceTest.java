package org.tributary.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which provider is chosen, and what is said when it is not there. */
class FabricChoiceTest {
    private static Provider provider(String name, long dataBytes) {
        return provider(name, dataBytes, 1 << 30);
    }

    private static Provider provider(String name, long dataBytes, long messageBytes) {
        return new Provider(name, "mlx5_0", null, true, 64, messageBytes, dataBytes, 100, true, false, false,
            true, 8);
    }

    /** What cxi declares is for messages: it refuses writes with data. */
    @Test
    void shouldDoWithoutDataWhenOnlyMessagesCarryThem() {
        Provider cxi = provider("cxi", 8);
        assertTrue(cxi.lacks().isEmpty() && !cxi.carriesData());
        assertEquals("cxi on mlx5_0: lacks writes that carry 4 bytes of data, the order of bytes", cxi.describe());
        assertEquals(Optional.of(cxi), FabricChoice.automatic(List.of(cxi), kind -> List.of(), "here").provider());
        assertTrue(!provider("opx", 8).carriesData() && !provider("verbs;ofi_rxm", 2).carriesData());
        for (String name : List.of("verbs;ofi_rxm", "efa", "psm3", "tcp;ofi_rxm", "shm", "sockets")) {
            assertTrue(provider(name, 4).carriesData(), name);
        }
    }

    @Test
    void shouldTakeAnAdapterThatOffloadsWhenChoosingItself() {
        Provider verbs = provider("verbs;ofi_rxm", 4);
        assertEquals(Optional.of(verbs), FabricChoice.automatic(
            List.of(provider("tcp;ofi_rxm", 8), provider("cxi", 0, 64), verbs), kind -> List.of(),
            "here").provider());
        FabricChoice none = FabricChoice.automatic(List.of(provider("tcp;ofi_rxm", 8), provider("psm3", 8)),
            kind -> List.of(), "here");
        assertEquals(Optional.empty(), none.provider());
        assertEquals("no adapter moves data without the target's process (here)", none.reason());
        assertEquals(Optional.empty(), FabricChoice.choose("none", null).provider());
    }

    private static Provider verbsOn(String domain, String host, long messageBytes) {
        return new Provider("verbs;ofi_rxm", domain, host, true, 64, messageBytes, 4, 100, true, false, false, true, 8);
    }

    /** Adapters of different networks do not meet, and all nodes have to take the same kind. */
    @Test
    void shouldTakeTheInterfaceOfTheServerWhenTheAdapterIsThere() {
        Provider first = verbsOn("mlx5_0", null, 1 << 30);
        Provider there = verbsOn("mlx5_1", "10.0.0.1", 1 << 30);
        List<Provider> all = List.of(provider("tcp;ofi_rxm", 8), first, provider("efa", 8));
        List<FabricKind> asked = new ArrayList<>();
        assertEquals(Optional.of(there), FabricChoice.automatic(all, kind -> {
            asked.add(kind);
            return List.of(verbsOn("mlx5_2", "10.0.0.1", 4096), there);
        }, "here").provider());
        assertEquals(List.of(FabricKind.VERBS), asked);
        assertEquals(Optional.of(first), FabricChoice.automatic(all, kind -> List.of(), "here").provider());
    }

    /** psm3 has one without data first, for each adapter. */
    @Test
    void shouldKeepTheEntryThatLacksLeastWhenAnAdapterHasSeveral() {
        Provider without = provider("psm3", 0);
        Provider with = provider("psm3", 4);
        Provider poor = provider("psm3", 8, 4096);
        Provider other = provider("verbs;ofi_rxm", 4);
        assertEquals(List.of(with, other),
            Fabric.merge(List.of(poor, without, other, with, provider("psm3", 8), provider("verbs;ofi_rxm", 8))));
        assertEquals(List.of(without), Fabric.merge(List.of(without, poor)));
    }

    /** What reaches each other has the same one. */
    @Test
    void shouldHaveTheMachineInItsIdentityWhenItReachesNoOther() {
        assertEquals("verbs;ofi_rxm", FabricChoice.identity(Optional.of(provider("verbs;ofi_rxm", 4)), "a"));
        assertEquals("shm of a", FabricChoice.identity(Optional.of(provider("shm", 4)), "a"));
        assertEquals("none", FabricChoice.identity(Optional.empty(), "a"));
    }

    @Test
    void shouldLoadNothingWhenTheKernelKnowsNoAdapter(@TempDir Path empty) {
        FabricChoice none = FabricChoice.automatic(List.of(empty, empty.resolve("absent")), null);
        assertEquals(new FabricChoice(Optional.empty(), "no adapter moves data without the target's process (" + empty
            + " and " + empty.resolve("absent") + " list none)"), none);
    }

    @Test
    void shouldListWhatIsThereAndWhatItLacksWhenRefusing() {
        Provider tcp = provider("tcp;ofi_rxm", 8);
        FabricException absent = assertThrows(FabricException.class,
            () -> FabricChoice.named(FabricKind.CXI, List.of(), List.of(tcp), null));
        assertEquals("cxi cannot be used: libfabric has no provider cxi here. There are: tcp;ofi_rxm on mlx5_0: lacks"
            + " an adapter that moves data without the target's process, the order of bytes", absent.getMessage());
        Provider poor = provider("verbs;ofi_rxm", 4, 4096);
        FabricException lacking = assertThrows(FabricException.class,
            () -> FabricChoice.named(FabricKind.VERBS, List.of(poor), List.of(), null));
        assertEquals("verbs cannot be used: verbs;ofi_rxm on mlx5_0: lacks writes of 1048576 bytes (at most"
            + " 4096), the order of bytes. There are: none", lacking.getMessage());
    }

    @Test
    void shouldNameTheAddressWhenTheProviderIsNotThere() {
        Provider verbs = provider("verbs;ofi_rxm", 4);
        FabricException elsewhere = assertThrows(FabricException.class, () -> FabricChoice.named(FabricKind.VERBS,
            List.of(), List.of(verbs), "127.0.0.1"));
        assertEquals("verbs cannot be used: it is on mlx5_0, and not on the interface of 127.0.0.1: set"
            + " server.bind-address or server.interface to one that it is on. There are: verbs;ofi_rxm on mlx5_0:"
            + " lacks the order of bytes", elsewhere.getMessage());
    }

    @Test
    void shouldRefuseWhenNoSuchKindExists() {
        assertEquals("'myrinet' is none of auto, none, tcp, shm, verbs, cxi, efa, psm3, opx",
            assertThrows(IllegalArgumentException.class, () -> FabricChoice.choose("myrinet", null)).getMessage());
    }

    @Test
    void shouldFindTcpAndShmWhenLibfabricIsHere() {
        assumeTrue(Fabric.load().isPresent(), Fabric.load()::absence);
        Provider tcp = FabricChoice.choose("tcp", "127.0.0.1").provider().orElseThrow();
        assertEquals("lo", tcp.domain());
        assertTrue(tcp.lastByteIsLast());
        Provider shm = FabricChoice.choose("shm", "127.0.0.1").provider().orElseThrow();
        assertTrue(!shm.lastByteIsLast() && shm.lacks().isEmpty());
        assertTrue(Fabric.load().toString().matches("libfabric \\d+\\.\\d+"));
        Provider gone = new Provider(tcp.name(), "gone", tcp.host(), true, 0, 0, 0, 0, true, true, true, true, 8);
        assertEquals("tcp;ofi_rxm on gone is not there any more",
            assertThrows(FabricException.class, () -> Domain.open(gone)).getMessage());
        assertEquals(List.of(), Fabric.load().providers(FabricKind.EFA, null));
    }
}

package org.tributary.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
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
        assertEquals(Optional.of(cxi), FabricChoice.automatic(List.of(cxi), "here").provider());
        assertTrue(!provider("opx", 8).carriesData() && !provider("verbs;ofi_rxm", 2).carriesData());
        for (String name : List.of("verbs;ofi_rxm", "efa", "psm3", "tcp;ofi_rxm", "shm", "sockets")) {
            assertTrue(provider(name, 4).carriesData(), name);
        }
    }

    @Test
    void shouldTakeAnAdapterThatOffloadsWhenChoosingItself() {
        Provider verbs = provider("verbs;ofi_rxm", 4);
        assertEquals(Optional.of(verbs), FabricChoice.automatic(
            List.of(provider("tcp;ofi_rxm", 8), provider("cxi", 0, 64), verbs), "here").provider());
        FabricChoice none = FabricChoice.automatic(List.of(provider("tcp;ofi_rxm", 8), provider("psm3", 8)), "here");
        assertEquals(Optional.empty(), none.provider());
        assertEquals("no adapter moves data without the target's process (here)", none.reason());
        assertEquals(Optional.empty(), FabricChoice.choose("none", null).provider());
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
        FabricChoice none = FabricChoice.automatic(List.of(empty, empty.resolve("absent")));
        assertEquals(new FabricChoice(Optional.empty(), "no adapter moves data without the target's process (" + empty
            + " and " + empty.resolve("absent") + " list none)"), none);
    }

    @Test
    void shouldListWhatIsThereAndWhatItLacksWhenRefusing() {
        Provider tcp = provider("tcp;ofi_rxm", 8);
        FabricException absent = assertThrows(FabricException.class,
            () -> FabricChoice.named(FabricKind.CXI, List.of(), List.of(tcp)));
        assertEquals("cxi cannot be used: libfabric has no provider cxi here. There are: tcp;ofi_rxm on mlx5_0: lacks"
            + " an adapter that moves data without the target's process, the order of bytes", absent.getMessage());
        Provider poor = provider("verbs;ofi_rxm", 4, 4096);
        FabricException lacking = assertThrows(FabricException.class,
            () -> FabricChoice.named(FabricKind.VERBS, List.of(poor), List.of()));
        assertEquals("verbs cannot be used: verbs;ofi_rxm on mlx5_0: lacks writes of 1048576 bytes (at most"
            + " 4096), the order of bytes. There are: none", lacking.getMessage());
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

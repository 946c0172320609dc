package org.tributary.fabric;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Kinds of adapters that can be asked for by name. */
public enum FabricKind {
    /** TCP, for tests of everything that has no need of an adapter. */
    TCP("tcp;ofi_rxm", false, true, true),
    /** Memory of other processes of one machine. */
    SHM("shm", false, false, true),
    /** InfiniBand and RoCE. */
    VERBS("verbs;ofi_rxm", true, false, true),
    /** HPE Slingshot; the bytes of data that it declares are those of messages. */
    CXI("cxi", true, false, false),
    /** Amazon's adapter. */
    EFA("efa", true, false, true),
    /** Intel's over Ethernet or Omni-Path; its processors move the data. */
    PSM3("psm3", false, false, true),
    /** Cornelis Omni-Path; its processors move the data. Before 2.1 only its messages carried data. */
    OPX("opx", false, false, false);

    private final String provider;
    private final boolean offloads;
    private final boolean copiesInOrder;
    private final boolean carriesData;

    FabricKind(String provider, boolean offloads, boolean copiesInOrder, boolean carriesData) {
        this.provider = provider;
        this.offloads = offloads;
        this.copiesInOrder = copiesInOrder;
        this.carriesData = carriesData;
    }

    /** libfabric's name of it. */
    public String provider() {
        return provider;
    }

    /** Whether the adapter moves data while the process that owns the memory does something else. */
    public boolean offloads() {
        return offloads;
    }

    /**
     * Whether the process that owns the memory copies the bytes itself, in its calls of {@link Endpoint#poll}, so that
     * after such a call it sees no byte of a write without those before it. During the call, another thread may.
     */
    boolean copiesInOrder() {
        return copiesInOrder;
    }

    /** Whether a write can carry data to the other side, if its attributes have room for them. */
    boolean carriesData() {
        return carriesData;
    }

    /** That of a provider, if it is one of these. */
    static Optional<FabricKind> of(String provider) {
        return Arrays.stream(values()).filter(kind -> kind.provider.equals(provider)).findFirst();
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

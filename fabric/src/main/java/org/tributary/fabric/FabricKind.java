package org.tributary.fabric;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Kinds of adapters that can be asked for by name. */
public enum FabricKind {
    /** TCP, for tests of everything that has no need of an adapter. */
    TCP("tcp;ofi_rxm", false, true),
    /** Memory of other processes of one machine. */
    SHM("shm", false, false),
    /** InfiniBand and RoCE. */
    VERBS("verbs;ofi_rxm", true, false),
    /** HPE Slingshot. */
    CXI("cxi", true, false),
    /** Amazon's adapter. */
    EFA("efa", true, false),
    /** Intel's over Ethernet or Omni-Path; its processors move the data. */
    PSM3("psm3", false, false),
    /** Cornelis Omni-Path; its processors move the data. */
    OPX("opx", false, false);

    private final String provider;
    private final boolean offloads;
    private final boolean copiesInOrder;

    FabricKind(String provider, boolean offloads, boolean copiesInOrder) {
        this.provider = provider;
        this.offloads = offloads;
        this.copiesInOrder = copiesInOrder;
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

    /** That of a provider, if it is one of these. */
    static Optional<FabricKind> of(String provider) {
        return Arrays.stream(values()).filter(kind -> kind.provider.equals(provider)).findFirst();
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

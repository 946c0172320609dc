package org.tributary.fabric;

import java.util.ArrayList;
import java.util.List;

/**
 * A libfabric provider on one adapter, with its attributes as libfabric reports them.
 *
 * @param name         libfabric's, such as {@code tcp;ofi_rxm}
 * @param domain       the adapter or interface, such as {@code eth0}
 * @param host         the address that it was looked for with, or null; nothing where it has no IP addresses
 * @param remoteMemory whether it reads and writes memory of others
 * @param injectBytes  the largest write that is copied when it starts ({@link RemoteRegion#inject})
 * @param messageBytes the largest read or write
 * @param dataBytes    of the number that a message can carry to the other side, and with most kinds a write
 * @param operations   how many may be under way at a time
 * @param ordersWrites whether writes of one endpoint to one other become visible one after the other
 * @param ordersBytes  whether each also becomes visible from its first byte to its last
 * @param automatic    whether data moves without calls of the process that owns the memory, by its own account
 * @param ordersReads  whether reads of one endpoint from one other see memory one after the other
 * @param keyBytes     of the key of a region, where the process chooses it
 */
public record Provider(String name, String domain, String host, boolean remoteMemory, long injectBytes,
                       long messageBytes, long dataBytes, int operations, boolean ordersWrites, boolean ordersBytes,
                       boolean automatic, boolean ordersReads, int keyBytes) {
    private static final int LEAST_DATA_BYTES = 4;
    private static final int LEAST_MESSAGE_BYTES = 1 << 20;

    /** Whether memory of a process can be read and written while it does something else. */
    public boolean offloads() {
        return FabricKind.of(name).map(FabricKind::offloads).orElse(false);
    }

    /** Whether it reaches processes of this machine only, through their memory. */
    public boolean sharesMemory() {
        return FabricKind.of(name).filter(kind -> kind == FabricKind.SHM).isPresent();
    }

    /** Equal for providers that reach each other: the name, with the machine where it reaches no other one. */
    String identity(String machine) {
        return sharesMemory() ? name + " of " + machine : name;
    }

    /** Whether the last byte of a write is the last that becomes visible, and no later write overtakes it. */
    public boolean lastByteIsLast() {
        return ordersWrites && ordersBytes;
    }

    /** Whether a write can carry a number to the other side. */
    public boolean carriesData() {
        return dataBytes >= LEAST_DATA_BYTES && FabricKind.of(name).map(FabricKind::carriesData).orElse(true);
    }

    /** Required features that it lacks, in words; empty when it can be used. */
    public List<String> lacks() {
        List<String> lacking = new ArrayList<>();
        if (!remoteMemory) {
            lacking.add("reads and writes of remote memory");
        }
        if (messageBytes < LEAST_MESSAGE_BYTES) {
            lacking.add("writes of " + LEAST_MESSAGE_BYTES + " bytes (at most " + messageBytes + ")");
        }
        return lacking;
    }

    /** Its name and domain, and the features that it lacks, also those that it need not have, in one line. */
    public String describe() {
        List<String> lacking = new ArrayList<>(lacks());
        if (!offloads()) {
            lacking.add("an adapter that moves data without the target's process");
        }
        if (!carriesData()) {
            lacking.add("writes that carry " + LEAST_DATA_BYTES + " bytes of data");
        }
        if (!lastByteIsLast()) {
            lacking.add("the order of bytes");
        }
        return this + (lacking.isEmpty() ? ": lacks nothing" : ": lacks " + String.join(", ", lacking));
    }

    /** Its name and domain. */
    @Override
    public String toString() {
        return name + " on " + domain;
    }
}

package org.tributary.config;

/** Networks that can move large data between nodes beside the connections to servers. */
public enum NetworkFabric {
    /** An adapter that moves data without the target's process, if the machine has one. */
    AUTO,
    /** Nothing: messages to servers carry all data. */
    NONE,
    /** libfabric over TCP, to try out everything that has no need of an adapter. */
    TCP,
    /** Memory of other processes of the same machine. */
    SHM,
    /** InfiniBand and RoCE. */
    VERBS,
    /** HPE Slingshot. */
    CXI,
    /** Amazon's adapter. */
    EFA,
    /** Intel's over Ethernet or Omni-Path. */
    PSM3,
    /** Cornelis Omni-Path. */
    OPX;

    /** Whether memory that takes part is locked, as an adapter needs it to move data by itself. */
    public boolean locksMemory() {
        return this != NONE && this != TCP && this != SHM;
    }
}

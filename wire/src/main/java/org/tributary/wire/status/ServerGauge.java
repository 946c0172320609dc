package org.tributary.wire.status;

/** Figures of a server besides its counts of executed requests; the code is the ordinal. */
public enum ServerGauge {
    /** Shared memory in segments, in bytes. */
    SEGMENT_BYTES("tributary.segment.bytes"),
    /** Segments that exist now. */
    SEGMENTS("tributary.segments"),
    /** Shared memory of request rings, in bytes. */
    REQUEST_RING_BYTES("tributary.rings.memory.bytes"),
    /** Memory of receive rings, in bytes. */
    RECEIVE_RING_BYTES("tributary.receive.rings.bytes"),
    /** Bytes that its channels to other servers may send now. */
    CREDIT_BYTES("tributary.channels.credit.bytes"),
    /** Memory of requests that wait for their connection to take answers, in bytes. */
    KEPT_BYTES("tributary.kept.bytes"),
    /** Reply buffers made. */
    REPLY_BUFFERS("tributary.reply.buffers"),
    /** Reply buffers that wait for sockets. */
    REPLY_BUFFERS_SENDING("tributary.reply.buffers.sending"),
    /** Open connections. */
    CONNECTIONS("tributary.connections"),
    /** Channels to other servers. */
    CHANNELS("tributary.channels"),
    /** Requests that wait for a mutex. */
    MUTEX_WAITING("tributary.mutex.waiting"),
    /** Requests that wait for the lock of a window. */
    WINDOW_WAITING("tributary.window.waiting"),
    /** Connections and operations that wait for a lock of accumulates. */
    ACCUMULATE_WAITING("tributary.accumulate.waiting"),
    /** Requests passed on to other servers so far. */
    FORWARDED("tributary.forwarded"),
    /** Requests that became one with another so far. */
    COMBINED("tributary.forwarded.combined"),
    /** Segments that the network adapter reads and writes. */
    FABRIC_REGIONS("tributary.fabric.regions"),
    /** Memory in them, in bytes. */
    FABRIC_BYTES("tributary.fabric.bytes"),
    /** Ranks of other nodes that write their requests with the network adapter. */
    FABRIC_CHANNELS("tributary.fabric.channels");

    private final String metric;

    ServerGauge(String metric) {
        this.metric = metric;
    }

    /** The name of the server's metric. */
    public String metric() {
        return metric;
    }
}

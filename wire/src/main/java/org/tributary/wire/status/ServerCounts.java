package org.tributary.wire.status;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Counts of a server since it started.
 *
 * @param atNs       when, by the clock of its machine that never goes back
 * @param operations by the code of the operation
 * @param gauges     by the code of {@link ServerGauge}
 * @param pairs      who has asked for whose memory; what is in no pair of its own has both ranks -1
 */
public record ServerCounts(long atNs, List<Count> operations, List<Long> gauges, List<Pair> pairs) {
    /** So many pairs have a count of their own. */
    public static final int MAX_PAIRS = 4096;
    /** Of a server that has not told anything. */
    public static final ServerCounts NONE = new ServerCounts(0, List.of(), List.of(), List.of());

    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
    private static final int HEADER_BYTES = Long.BYTES + 3 * Integer.BYTES;
    private static final int COUNT_BYTES = 2 * Long.BYTES;
    private static final int PAIR_BYTES = COUNT_BYTES + 2 * Integer.BYTES;

    public ServerCounts {
        operations = List.copyOf(operations);
        gauges = List.copyOf(gauges);
        pairs = List.copyOf(pairs);
    }

    /** Requests that were executed, and bytes of their payload. */
    public record Count(long requests, long bytes) {
    }

    /** Requests of one rank for the memory of another, and their bytes. */
    public record Pair(int requester, int target, long requests, long bytes) {
    }

    /** The most bytes that counts of so many operations and pairs take. */
    public static int bytes(int operations, int pairs) {
        return HEADER_BYTES + operations * COUNT_BYTES + ServerGauge.values().length * Long.BYTES + pairs * PAIR_BYTES;
    }

    /** A value, 0 when it was not told. */
    public long gauge(ServerGauge gauge) {
        return gauge.ordinal() < gauges.size() ? gauges.get(gauge.ordinal()) : 0;
    }

    /** The counts as bytes, from position to limit of what is returned. */
    public ByteBuffer encode() {
        ByteBuffer bytes = ByteBuffer.allocate(HEADER_BYTES + operations.size() * COUNT_BYTES
            + gauges.size() * Long.BYTES + pairs.size() * PAIR_BYTES).order(ORDER);
        bytes.putLong(atNs).putInt(operations.size()).putInt(gauges.size()).putInt(pairs.size());
        operations.forEach(count -> bytes.putLong(count.requests).putLong(count.bytes));
        gauges.forEach(bytes::putLong);
        pairs.forEach(pair -> bytes.putInt(pair.requester).putInt(pair.target).putLong(pair.requests)
            .putLong(pair.bytes));
        return bytes.flip();
    }

    /** Encoded counts are still true at that time. */
    public static void setTime(ByteBuffer encoded, long atNs) {
        encoded.putLong(encoded.position(), atNs);
    }

    /**
     * The counts of bytes; {@link #NONE} of no bytes.
     *
     * @throws IllegalArgumentException when they are none
     */
    public static ServerCounts decode(ByteBuffer encoded) {
        if (!encoded.hasRemaining()) {
            return NONE;
        }
        ByteBuffer bytes = encoded.slice().order(ORDER);
        if (bytes.remaining() < HEADER_BYTES) {
            throw new IllegalArgumentException("counts of a server in " + bytes.remaining() + " bytes");
        }
        long atNs = bytes.getLong();
        long operationCount = Integer.toUnsignedLong(bytes.getInt());
        long gaugeCount = Integer.toUnsignedLong(bytes.getInt());
        long pairCount = Integer.toUnsignedLong(bytes.getInt());
        if (operationCount * COUNT_BYTES + gaugeCount * Long.BYTES + pairCount * PAIR_BYTES != bytes.remaining()) {
            throw new IllegalArgumentException("counts of " + operationCount + " operations, " + gaugeCount
                + " values and " + pairCount + " pairs in " + bytes.remaining() + " bytes");
        }
        List<Count> operations = new ArrayList<>();
        for (int i = 0; i < operationCount; i++) {
            operations.add(new Count(bytes.getLong(), bytes.getLong()));
        }
        List<Long> gauges = new ArrayList<>();
        for (int i = 0; i < gaugeCount; i++) {
            gauges.add(bytes.getLong());
        }
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0; i < pairCount; i++) {
            pairs.add(new Pair(bytes.getInt(), bytes.getInt(), bytes.getLong(), bytes.getLong()));
        }
        return new ServerCounts(atNs, operations, gauges, pairs);
    }
}

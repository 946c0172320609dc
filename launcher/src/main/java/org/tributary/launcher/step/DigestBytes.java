package org.tributary.launcher.step;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.tributary.launcher.step.NodeRates.Rate;
import org.tributary.launcher.step.View.Range;
import org.tributary.wire.status.NodeDetails;
import org.tributary.wire.status.NodeStatus;
import org.tributary.wire.status.NodeText;
import org.tributary.wire.status.ProcessState;
import org.tributary.wire.status.ServerGauge;

/**
 * A {@link Digest} of a large job as bytes, between agents and launchers of one release. Numbers take seven bits a
 * byte, so that small ones take little; what is 0 in long lists takes nothing. All numbers are checked when they are
 * read.
 */
public final class DigestBytes {
    /** Many times what the nodes of a job of any size tell together. */
    public static final int MOST_BYTES = 1 << 20;
    /** The first byte; that of a snapshot of a node is less. */
    private static final byte MARK = 'D';
    /** A rate is told in these of one a second. */
    private static final double PARTS = 64;
    private static final int BITS = 7;
    private static final int MASK = (1 << BITS) - 1;

    private DigestBytes() {
    }

    public static byte[] encode(Digest digest) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(MARK);
            write(out, digest.job);
            write(out, digest.layout);
            write(out, digest.jobNodes);
            write(out, digest.jobRanks);
            write(out, digest.sums);
            writeStates(out, digest.states);
            writeRates(out, digest.hot);
            write(out, digest.cells.size());
            for (Map.Entry<View, TreeMap<Integer, Rate>> view : digest.cells.entrySet()) {
                out.writeBoolean(view.getKey().ranks());
                write(out, view.getKey().rows());
                write(out, view.getKey().columns());
                writeRates(out, view.getValue());
            }
            write(out, digest.missing.size());
            for (Map.Entry<Long, BitSet> group : digest.missing.entrySet()) {
                out.writeLong(group.getKey());
                write(out, group.getValue());
            }
            write(out, digest.lines.size());
            for (NodeLine line : digest.lines) {
                write(out, line);
            }
            write(out, digest.nodes.size());
            for (NodeStatus node : digest.nodes.values()) {
                write(out, NodeText.of(node));
            }
            write(out, NodeText.of(new NodeDetails(List.copyOf(digest.members), List.copyOf(digest.locks))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** Whether these are bytes of a digest, and not of a {@link org.tributary.wire.status.NodeSnapshot}. */
    public static boolean areDigest(byte... bytes) {
        return bytes.length > 0 && bytes[0] == MARK;
    }

    /**
     * The digest of bytes.
     *
     * @throws IllegalArgumentException when they are none
     */
    public static Digest decode(byte... bytes) {
        if (bytes.length > MOST_BYTES) {
            throw new IllegalArgumentException("the sum of nodes has " + bytes.length + " bytes; the most is "
                + MOST_BYTES);
        }
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            if (in.readByte() != MARK) {
                throw new IllegalArgumentException("the sum of nodes begins with another byte");
            }
            Digest digest = new Digest(readText(in), readText(in), readInt(in, Integer.MAX_VALUE),
                readInt(in, RankOrder.MOST_RANKS));
            read(in, digest.sums);
            readStates(in, digest);
            digest.hot.putAll(readRates(in, digest.jobRanks));
            for (int left = readInt(in, Asked.MOST); left > 0; left--) {
                View view = new View(in.readBoolean(), readRange(in), readRange(in));
                digest.cells.put(view, readRates(in, Grid.MOST_BINS * Grid.MOST_BINS));
            }
            for (int left = readInt(in, Asked.MOST); left > 0; left--) {
                digest.missing.put(in.readLong(), readRanks(in, digest.jobRanks));
            }
            for (int left = readCount(in); left > 0; left--) {
                digest.lines.add(readLine(in, digest.jobNodes));
            }
            for (int left = readCount(in); left > 0; left--) {
                NodeStatus node = NodeText.node(readText(in));
                check(node.node(), digest.jobNodes);
                node.ranks().forEach(rank -> check(rank.rank(), digest.jobRanks));
                digest.nodes.put(node.node(), node);
            }
            NodeDetails details = NodeText.details(readText(in));
            details.members().forEach(member -> check(member.rank(), digest.jobRanks));
            digest.members.addAll(details.members());
            digest.locks.addAll(details.locks());
            if (in.available() > 0) {
                throw new IllegalArgumentException(in.available() + " bytes behind the sum of nodes");
            }
            return digest;
        } catch (IOException | IndexOutOfBoundsException e) {
            throw new IllegalArgumentException("the sum of nodes is cut off: " + e, e);
        }
    }

    private static void write(DataOutputStream out, Sums sums) throws IOException {
        write(out, sums.nodes);
        write(out, sums.served);
        write(out, sums.ageNs);
        write(out, sums.stillNs);
        write(out, sums.longWaits);
        for (long count : sums.states) {
            write(out, count);
        }
        for (Rate rate : sums.operations) {
            write(out, rate);
        }
        write(out, sums.others);
        for (long gauge : sums.gauges) {
            write(out, gauge);
        }
        for (int i = 0; i < sums.latencies.length; i++) {
            if (sums.latencies[i] != 0) {
                write(out, i);
                write(out, sums.latencies[i]);
            }
        }
        write(out, sums.latencies.length);
    }

    private static void read(DataInputStream in, Sums sums) throws IOException {
        sums.nodes = readInt(in, Integer.MAX_VALUE);
        sums.served = readInt(in, Integer.MAX_VALUE);
        sums.ageNs = readLong(in);
        sums.stillNs = readLong(in);
        sums.longWaits = readInt(in, Integer.MAX_VALUE);
        for (int i = 0; i < sums.states.length; i++) {
            sums.states[i] = readInt(in, Integer.MAX_VALUE);
        }
        for (int i = 0; i < sums.operations.length; i++) {
            sums.operations[i] = readRate(in);
        }
        sums.others = readRate(in);
        for (int i = 0; i < sums.gauges.length; i++) {
            sums.gauges[i] = readLong(in);
        }
        for (int i = readInt(in, Sums.BUCKETS); i < Sums.BUCKETS; i = readInt(in, Sums.BUCKETS)) {
            sums.latencies[i] = readLong(in);
        }
    }

    /** Ranks in a row that do the same are told together: how many are left out, how many do it, and what. */
    private static void writeStates(DataOutputStream out, TreeMap<Integer, RankDoes> states) throws IOException {
        int next = 0;
        for (Map.Entry<Integer, RankDoes> first = states.firstEntry(); first != null;
            first = states.ceilingEntry(next)) {
            int end = first.getKey() + 1;
            while (states.get(end) == first.getValue()) {
                end++;
            }
            write(out, end - first.getKey());
            write(out, first.getKey() - next);
            write(out, first.getValue().ordinal());
            next = end;
        }
        write(out, 0);
    }

    private static void readStates(DataInputStream in, Digest digest) throws IOException {
        int rank = 0;
        int most = Math.min(digest.jobRanks, Digest.MOST_RANKS);
        for (int count = readInt(in, most); count > 0; count = readInt(in, most)) {
            rank += readInt(in, most);
            RankDoes does = RankDoes.values()[readInt(in, RankDoes.values().length - 1)];
            check((long) rank + count - 1, most);
            for (int end = rank + count; rank < end; rank++) {
                digest.states.put(rank, does);
            }
        }
    }

    private static void writeRates(DataOutputStream out, TreeMap<Integer, Rate> rates) throws IOException {
        write(out, rates.size());
        for (Map.Entry<Integer, Rate> entry : rates.entrySet()) {
            write(out, entry.getKey());
            write(out, entry.getValue());
        }
    }

    private static TreeMap<Integer, Rate> readRates(DataInputStream in, int end) throws IOException {
        TreeMap<Integer, Rate> rates = new TreeMap<>();
        for (int left = readCount(in); left > 0; left--) {
            int key = readInt(in, Integer.MAX_VALUE);
            check(key, end);
            rates.put(key, readRate(in));
        }
        return rates;
    }

    /** From bit to bit that differs from the one before it. */
    private static void write(DataOutputStream out, BitSet ranks) throws IOException {
        int next = 0;
        for (int from = ranks.nextSetBit(0); from >= 0; from = ranks.nextSetBit(next)) {
            int end = ranks.nextClearBit(from);
            write(out, end - from);
            write(out, from - next);
            next = end;
        }
        write(out, 0);
    }

    private static BitSet readRanks(DataInputStream in, int end) throws IOException {
        BitSet ranks = new BitSet();
        int rank = 0;
        for (int count = readInt(in, end); count > 0; count = readInt(in, end)) {
            rank += readInt(in, end);
            check((long) rank + count - 1, end);
            ranks.set(rank, rank + count);
            rank += count;
        }
        return ranks;
    }

    private static void write(DataOutputStream out, NodeLine line) throws IOException {
        write(out, line.node());
        write(out, line.server().ordinal());
        write(out, line.pid());
        write(out, line.ranks());
        write(out, line.attached());
        write(out, line.rate());
        for (ServerGauge gauge : ServerGauge.values()) {
            write(out, line.gauge(gauge));
        }
    }

    private static NodeLine readLine(DataInputStream in, int nodes) throws IOException {
        int node = readInt(in, Integer.MAX_VALUE);
        check(node, nodes);
        ProcessState server = ProcessState.values()[readInt(in, ProcessState.values().length - 1)];
        long pid = readLong(in);
        int ranks = readInt(in, Integer.MAX_VALUE);
        int attached = readInt(in, Integer.MAX_VALUE);
        Rate rate = readRate(in);
        List<Long> gauges = new ArrayList<>();
        for (int i = 0; i < ServerGauge.values().length; i++) {
            gauges.add(readLong(in));
        }
        return new NodeLine(node, server, pid, ranks, attached, rate, gauges);
    }

    private static void write(DataOutputStream out, Range range) throws IOException {
        out.writeInt(range.from());
        out.writeInt(range.to());
    }

    private static Range readRange(DataInputStream in) throws IOException {
        return new Range(in.readInt(), in.readInt());
    }

    /** Parts of an operation count: many nodes may have few. */
    private static void write(DataOutputStream out, Rate rate) throws IOException {
        write(out, Math.round(rate.requests() * PARTS));
        write(out, Math.round(rate.bytes() * PARTS));
    }

    private static Rate readRate(DataInputStream in) throws IOException {
        return new Rate(Math.max(0, readLong(in)) / PARTS, Math.max(0, readLong(in)) / PARTS);
    }

    private static void write(DataOutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        write(out, bytes.length);
        out.write(bytes);
    }

    private static String readText(DataInputStream in) throws IOException {
        return new String(in.readNBytes(readCount(in)), StandardCharsets.UTF_8);
    }

    private static void write(DataOutputStream out, long number) throws IOException {
        long left = number;
        for (; (left & ~MASK) != 0; left >>>= BITS) {
            out.writeByte((int) (left & MASK) | 1 << BITS);
        }
        out.writeByte((int) left);
    }

    private static long readLong(DataInputStream in) throws IOException {
        long number = 0;
        for (int shift = 0; shift < Long.SIZE; shift += BITS) {
            int next = in.readUnsignedByte();
            number |= (long) (next & MASK) << shift;
            if (next <= MASK) {
                return number;
            }
        }
        throw new IOException("a number without an end");
    }

    private static int readInt(DataInputStream in, int most) throws IOException {
        long number = readLong(in);
        if (number < 0 || number > most) {
            throw new IOException(number + " where the most is " + most);
        }
        return (int) number;
    }

    /** Of things that take at least a byte each. */
    private static int readCount(DataInputStream in) throws IOException {
        return readInt(in, in.available());
    }

    private static void check(long number, int end) {
        if (number < 0 || number >= end) {
            throw new IllegalArgumentException("node, rank or cell " + number + " of " + end);
        }
    }
}

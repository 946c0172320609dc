package org.tributary.miniapps.lu;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.miniapps.exchange.ProcessGrid;

/**
 * Messages to the up to four neighbours of a pencil: a put into a slot at the neighbour, and a notification. Along each
 * side there is a slot for each plane of a sweep, and one for the ghost points.
 *
 * <p>Slots need no credits. Between two messages into the same slot a rank receives one of that neighbour, which the
 * neighbour sent after it had read the first: of the sweep the other way, or of ghost points.
 */
final class Mail implements AutoCloseable {
    private static final int SIDES = 4;
    private static final int NONE = -1;

    private final Gas gas;
    private final Box box;
    private final int[] neighbours = new int[SIDES];
    private final long slotBytes;
    private final long sideBytes;
    private final GlobalMemory memory;
    private final MemorySegment incoming;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment outgoing;
    private final double[] message;

    /** Collective. Sides are: 0 lower x, 1 upper x, 2 lower y, 3 upper y. */
    Mail(Gas gas, Box box, ProcessGrid processes) {
        this.gas = gas;
        this.box = box;
        int[] place = processes.coordinates(gas.rank());
        for (int side = 0; side < SIDES; side++) {
            int dimension = 1 - side / 2;
            int step = side % 2 == 0 ? -1 : 1;
            boolean inside = place[dimension] + step >= 0 && place[dimension] + step < processes.extent(dimension);
            neighbours[side] = !inside ? NONE
                : processes.neighbour(gas.rank(), dimension == 0 ? step : 0, dimension == 1 ? step : 0);
        }
        int longest = Math.ceilDiv(box.points(), processes.extent(1)); // x has no more ranks than y, so longer lines
        message = new double[Flow.NUMBERS * Box.GHOSTS * box.points() * longest];
        slotBytes = (long) Flow.NUMBERS * longest * Double.BYTES;
        sideBytes = slotBytes * (box.points() + (long) Box.GHOSTS * box.points());
        memory = gas.allocate(SIDES * sideBytes);
        incoming = memory.local();
        outgoing = arena.allocate((long) message.length * Double.BYTES, Double.BYTES);
    }

    /** Fills the ghost points at all sides. */
    void exchangeGhosts(double[] u) {
        for (int side = 0; side < SIDES; side++) {
            if (neighbours[side] != NONE) {
                int first = side % 2 == 0 ? 0 : box.extent(side / 2) - Box.GHOSTS;
                send(side, box.points(), pack(u, side, first, Box.GHOSTS, 0, box.extent(2)));
            }
        }
        for (int side = 0; side < SIDES; side++) {
            if (neighbours[side] != NONE) {
                receive(side, box.points());
                unpack(u, side, side % 2 == 0 ? -Box.GHOSTS : box.extent(side / 2), Box.GHOSTS, 0, box.extent(2));
            }
        }
    }

    /** The wavefront from lower x and y. */
    void receiveFromBelow(double[] v, int z) {
        receivePlane(v, 0, z);
        receivePlane(v, 2, z);
    }

    /** The wavefront on to higher x and y. */
    void sendUp(double[] v, int z) {
        sendPlane(v, 1, z);
        sendPlane(v, 3, z);
    }

    /** The wavefront from higher x and y. */
    void receiveFromAbove(double[] v, int z) {
        receivePlane(v, 1, z);
        receivePlane(v, 3, z);
    }

    /** The wavefront on to lower x and y. */
    void sendDown(double[] v, int z) {
        sendPlane(v, 0, z);
        sendPlane(v, 2, z);
    }

    private void sendPlane(double[] v, int side, int z) {
        if (neighbours[side] != NONE) {
            send(side, z, pack(v, side, side % 2 == 0 ? 0 : box.extent(side / 2) - 1, 1, z, z + 1));
        }
    }

    private void receivePlane(double[] v, int side, int z) {
        if (neighbours[side] != NONE) {
            receive(side, z);
            unpack(v, side, side % 2 == 0 ? -1 : box.extent(side / 2), 1, z, z + 1);
        }
    }

    private void send(int side, int slot, int numbers) {
        MemorySegment.copy(message, 0, outgoing, ValueLayout.JAVA_DOUBLE, 0, numbers);
        int opposite = side ^ 1;
        memory.put(neighbours[side], opposite * sideBytes + slot * slotBytes, outgoing, 0,
            (long) numbers * Double.BYTES);
        gas.notify(neighbours[side]);
    }

    /** Waits for the message; {@link #unpack} reads as much of it as there is. */
    private void receive(int side, int slot) {
        gas.waitNotify(neighbours[side]);
        long at = side * sideBytes + slot * slotBytes;
        int numbers = slot < box.points() ? (int) (slotBytes / Double.BYTES) : message.length;
        MemorySegment.copy(incoming, ValueLayout.JAVA_DOUBLE, at, message, 0, numbers);
    }

    /** Puts layers of points at a side into the message, from plane {@code z} to another; returns its length. */
    private int pack(double[] u, int side, int first, int layers, int z, int end) {
        int at = 0;
        for (int plane = z; plane < end; plane++) {
            for (int row = firstRow(side, first); row < endRow(side, first, layers); row++) {
                int length = Flow.NUMBERS * rowLength(side, layers);
                System.arraycopy(u, Flow.NUMBERS * box.at(side < 2 ? first : 0, row, plane), message, at, length);
                at += length;
            }
        }
        return at;
    }

    private void unpack(double[] u, int side, int first, int layers, int z, int end) {
        int at = 0;
        for (int plane = z; plane < end; plane++) {
            for (int row = firstRow(side, first); row < endRow(side, first, layers); row++) {
                int length = Flow.NUMBERS * rowLength(side, layers);
                System.arraycopy(message, at, u, Flow.NUMBERS * box.at(side < 2 ? first : 0, row, plane), length);
                at += length;
            }
        }
    }

    private static int firstRow(int side, int first) {
        return side < 2 ? 0 : first;
    }

    private int endRow(int side, int first, int layers) {
        return side < 2 ? box.extent(1) : first + layers;
    }

    private int rowLength(int side, int layers) {
        return side < 2 ? layers : box.extent(0);
    }

    /** Collective. */
    @Override
    public void close() {
        memory.close();
        arena.close();
    }
}

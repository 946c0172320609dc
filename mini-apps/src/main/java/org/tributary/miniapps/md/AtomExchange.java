package org.tributary.miniapps.md;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.tributary.client.Gas;
import org.tributary.miniapps.exchange.Exchange;
import org.tributary.miniapps.exchange.ExchangeOptions;
import org.tributary.miniapps.exchange.Neighbourhood;

/**
 * Messages of atoms to the 26 neighbours: those that move to another rank, ghosts, and their positions in every step.
 * In directions that lead back to the rank itself it copies. A message begins with the number of its atoms.
 */
final class AtomExchange implements AutoCloseable {
    private static final int DIMENSIONS = Configuration.DIMENSIONS;
    /** The densest liquid or crystal to be expected, and how much more room messages have. */
    private static final double DENSEST = 1.2;
    private static final double MORE_ROOM = 1.3;
    private static final int ROOM_FOR_FEW = 32;
    private static final int UPDATE = 3;

    private final Neighbourhood neighbourhood;
    private final Brick brick;
    private final int[][] offsets;
    private final double[][] shifts;
    private final long[] bytes;
    private final double[][] messages;
    private final double[] incoming;
    private final int[][] sent;
    private final int[] sentCounts;
    private final int[] ghostFirsts;
    private final int[] ghostCounts;
    private final Exchange exchange;

    /** Collective. */
    AtomExchange(Gas gas, ExchangeOptions options, Neighbourhood neighbourhood, Brick brick, Configuration start) {
        this.neighbourhood = neighbourhood;
        this.brick = brick;
        int count = neighbourhood.count();
        offsets = new int[count][];
        shifts = new double[count][DIMENSIONS];
        bytes = new long[count];
        messages = new double[count][];
        sent = new int[count][];
        sentCounts = new int[count];
        ghostFirsts = new int[count];
        ghostCounts = new int[count];
        double density = start.atoms() / start.volume();
        int[] place = neighbourhood.grid().coordinates(neighbourhood.self());
        for (int direction = 0; direction < count; direction++) {
            int[] offset = neighbourhood.offset(direction);
            for (int d = 0; d < DIMENSIONS; d++) {
                int outside = offset[d] < 0 ? -1 : neighbourhood.grid().extent(d);
                shifts[direction][d] = place[d] + offset[d] == outside ? -offset[d] * start.edge() : 0;
            }
            offsets[direction] = offset;
            int room = room(brick, density, start.atoms(), offset);
            sent[direction] = new int[room];
            messages[direction] = new double[1 + Atoms.STRIDE * room];
            bytes[direction] = isOwn(direction) ? 0 : (long) messages[direction].length * Double.BYTES;
        }
        incoming = new double[Arrays.stream(messages).mapToInt(message -> message.length).max().orElseThrow()];
        exchange = LongStream.of(bytes).allMatch(length -> length == 0) ? null
            : options.open(gas, neighbourhood, bytes);
    }

    /** For how many of all atoms a message has room; the same on all ranks, as they write to each other's memory. */
    static int room(Brick brick, double density, int atoms, int... offset) {
        double expected = MORE_ROOM * Math.max(DENSEST, density);
        for (int d = 0; d < DIMENSIONS; d++) {
            expected *= offset[d] == 0 ? brick.extent(d) : brick.halo();
        }
        return ROOM_FOR_FEW + (int) Math.min(atoms, expected);
    }

    private boolean isOwn(int direction) {
        return neighbourhood.rank(direction) == neighbourhood.self();
    }

    /** Sends atoms that have left the brick to the ranks where they are now, and adds those that have come. */
    void migrate(Atoms atoms) {
        clear();
        for (int atom = 0; atom < atoms.own();) {
            int direction = directionOf(atoms, atom);
            if (direction < 0) {
                atom++;
            } else {
                int at = 1 + Atoms.RECORD * sentCounts[direction];
                checkRoom(direction, at + Atoms.RECORD);
                sentCounts[direction]++;
                atoms.writeRecord(atom, messages[direction], at);
                shift(messages[direction], at, direction);
                atoms.remove(atom);
            }
        }
        send(Atoms.RECORD);
        receive(Atoms.RECORD, (direction, message, count) -> atoms.addRecords(message, 1, count));
    }

    /** The direction in which an atom has left the brick, or -1. */
    private int directionOf(Atoms atoms, int atom) {
        int code = 0;
        for (int d = 0; d < DIMENSIONS; d++) {
            code = DIMENSIONS * code + 1 + brick.side(atoms.positions()[Atoms.STRIDE * atom + d], d);
        }
        int middle = offsets.length / 2; // the code of no direction; those of the others are in the same order
        return code == middle ? -1 : code < middle ? code : code - 1;
    }

    /** Makes ghosts of the neighbours' atoms near this brick, and remembers which atoms are ghosts elsewhere. */
    void shareGhosts(Atoms atoms) {
        atoms.dropGhosts();
        clear();
        for (int direction = 0; direction < offsets.length; direction++) {
            for (int atom = 0; atom < atoms.own(); atom++) {
                if (isNear(atoms, atom, direction)) {
                    int at = 1 + Atoms.STRIDE * sentCounts[direction];
                    checkRoom(direction, at + Atoms.STRIDE);
                    sent[direction][sentCounts[direction]++] = atom;
                    System.arraycopy(atoms.positions(), Atoms.STRIDE * atom, messages[direction], at, Atoms.STRIDE);
                    shift(messages[direction], at, direction);
                }
            }
        }
        send(Atoms.STRIDE);
        receive(Atoms.STRIDE, (direction, message, count) -> {
            ghostFirsts[direction] = atoms.total();
            ghostCounts[direction] = count;
            atoms.addGhosts(message, 1, count);
        });
        for (int direction = 0; exchange != null && direction < offsets.length; direction++) {
            if (!isOwn(direction)) {
                exchange.limit(direction, length(UPDATE, sentCounts[direction]),
                    length(UPDATE, ghostCounts[direction]));
            }
        }
    }

    private boolean isNear(Atoms atoms, int atom, int direction) {
        int at = Atoms.STRIDE * atom;
        return brick.isNear(atoms.positions()[at], 0, offsets[direction][0])
            && brick.isNear(atoms.positions()[at + 1], 1, offsets[direction][1])
            && brick.isNear(atoms.positions()[at + 2], 2, offsets[direction][2]);
    }

    /** Sends the positions of atoms that are ghosts elsewhere. */
    void beginUpdate(Atoms atoms) {
        double[] positions = atoms.positions();
        for (int direction = 0; direction < offsets.length; direction++) {
            double[] message = messages[direction];
            double[] shift = shifts[direction];
            int at = 1;
            for (int i = 0; i < sentCounts[direction]; i++) {
                int from = Atoms.STRIDE * sent[direction][i];
                message[at++] = positions[from] + shift[0];
                message[at++] = positions[from + 1] + shift[1];
                message[at++] = positions[from + 2] + shift[2];
            }
        }
        put(UPDATE);
    }

    /** Waits for the positions of ghosts. */
    void endUpdate(Atoms atoms) {
        receive(UPDATE, (direction, message, count) -> {
            double[] positions = atoms.positions();
            int to = Atoms.STRIDE * ghostFirsts[direction];
            for (int at = 1; at < 1 + UPDATE * count; at += UPDATE) {
                System.arraycopy(message, at, positions, to, UPDATE);
                to += Atoms.STRIDE;
            }
        });
    }

    private void clear() {
        Arrays.fill(sentCounts, 0);
    }

    private void checkRoom(int direction, int numbers) {
        if (numbers > messages[direction].length) {
            throw new IllegalStateException("more atoms for rank " + neighbourhood.rank(direction)
                + " than a message has room for: they crowd together");
        }
    }

    /** Atoms that cross the border of the cube come in at the other side. */
    private void shift(double[] message, int at, int direction) {
        for (int d = 0; d < DIMENSIONS; d++) {
            message[at + d] += shifts[direction][d];
        }
    }

    private static long length(int numbersOfAtom, int atoms) {
        return (1L + (long) numbersOfAtom * atoms) * Double.BYTES;
    }

    /** Sends messages whose receivers do not know how long they are. */
    private void send(int numbersOfAtom) {
        for (int direction = 0; exchange != null && direction < offsets.length; direction++) {
            if (!isOwn(direction)) {
                exchange.limit(direction, length(numbersOfAtom, sentCounts[direction]),
                    bytes[neighbourhood.opposite(direction)]);
            }
        }
        put(numbersOfAtom);
    }

    private void put(int numbersOfAtom) {
        for (int direction = 0; direction < offsets.length; direction++) {
            messages[direction][0] = sentCounts[direction];
            if (!isOwn(direction)) {
                MemorySegment.copy(messages[direction], 0, exchange.outgoing(direction), ValueLayout.JAVA_DOUBLE, 0,
                    1 + numbersOfAtom * sentCounts[direction]);
            }
        }
        if (exchange != null) {
            exchange.issue();
        }
    }

    /** Reader of the atoms of a message. */
    private interface Reader {
        void read(int direction, double[] message, int count);
    }

    /** In the order of directions, which is the same every time. */
    private void receive(int numbersOfAtom, Reader reader) {
        if (exchange != null) {
            exchange.finish();
        }
        for (int direction = 0; direction < offsets.length; direction++) {
            double[] message = messages[neighbourhood.opposite(direction)];
            if (!isOwn(direction)) {
                MemorySegment from = exchange.incoming(direction);
                message = incoming;
                MemorySegment.copy(from, ValueLayout.JAVA_DOUBLE, 0, message, 0,
                    1 + numbersOfAtom * (int) from.get(ValueLayout.JAVA_DOUBLE, 0));
            }
            reader.read(direction, message, (int) message[0]);
        }
    }

    /** Collective. */
    @Override
    public void close() {
        if (exchange != null) {
            exchange.close();
        }
    }
}

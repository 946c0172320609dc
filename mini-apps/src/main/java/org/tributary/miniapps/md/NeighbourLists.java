package org.tributary.miniapps.md;

import java.util.Arrays;

/**
 * Which atoms are close to which: each pair of this rank's atoms once, and each atom of this rank with each ghost. Made
 * with bins of half the distance that counts, whose atoms lie side by side, along x bin after bin.
 */
final class NeighbourLists {
    private static final int DIMENSIONS = Configuration.DIMENSIONS;
    /** Bins beyond the brick on each side, and how far away a bin can matter. */
    private static final int REACH = 2;
    /** Spare room of arrays that grow: one element for so many that are needed. */
    private static final int MORE = 64;
    /** Most bins inside the brick along a dimension, for gases. */
    private static final int MOST_BINS = 128;
    /** The longest array that every virtual machine makes. */
    private static final int LONGEST = Integer.MAX_VALUE - 8;
    /** Of pairs of an atom and a ghost there are at most twice as many as of pairs counted once. */
    private static final double MOST_PAIRS = LONGEST / 2.0;

    private final Brick brick;
    private final int[] bins = new int[DIMENSIONS];
    private final double[] binsPerLength = new double[DIMENSIONS];
    private final int[] ownFirsts;
    private final int[] ghostFirsts;
    private int[] binOf = new int[0];
    private int[] ghostOrder = new int[0];
    private final Pairs ownPairs = new Pairs();
    private final Pairs ghostPairs = new Pairs();

    /** For each atom a range of neighbours, as places in {@link Atoms#positions}. */
    static final class Pairs {
        private int[] firsts = new int[1];
        private int[] neighbours = new int[0];

        /** Where the neighbours of an atom begin; the end of the last ones is there too. */
        int[] firsts() {
            return firsts;
        }

        int[] neighbours() {
            return neighbours;
        }

        private void begin(int atoms) {
            if (firsts.length <= atoms) {
                firsts = new int[atoms + 1 + atoms / MORE];
            }
        }

        /** Makes room for so many more. */
        private int[] reserve(int used, int more) {
            long needed = (long) used + more;
            if (needed > LONGEST) {
                throw new IllegalStateException("more than " + LONGEST + " neighbours on a rank: its atoms are too"
                    + " many, or crowd together");
            }
            if (needed > neighbours.length) {
                neighbours = Arrays.copyOf(neighbours, (int) Math.clamp(2L * used, needed, LONGEST));
            }
            return neighbours;
        }
    }

    /** How many times too many pairs, each counted once, a rank with so many atoms has, if this is above 1. */
    static double load(double atoms, double density, double reach) {
        return atoms * density * 2 * Math.PI / 3 * reach * reach * reach / MOST_PAIRS;
    }

    NeighbourLists(Brick brick) {
        this.brick = brick;
        int all = 1;
        for (int d = 0; d < DIMENSIONS; d++) {
            int inside = Math.clamp((int) (REACH * brick.extent(d) / brick.halo()), 1, MOST_BINS);
            binsPerLength[d] = inside / brick.extent(d);
            bins[d] = inside + 2 * REACH;
            all = Math.multiplyExact(all, bins[d]);
        }
        ownFirsts = new int[all + 1];
        ghostFirsts = new int[all + 1];
    }

    /** Sorts the atoms of this rank by bins; there must be no ghosts. */
    void sort(Atoms atoms) {
        atoms.sort(order(atoms.positions(), 0, atoms.own(), ownFirsts, new int[atoms.own()]));
    }

    /** Makes the lists; atoms must have been sorted, and have ghosts now. */
    void build(Atoms atoms) {
        int ghosts = atoms.total() - atoms.own();
        if (ghostOrder.length < ghosts) {
            ghostOrder = new int[ghosts + ghosts / MORE];
        }
        order(atoms.positions(), atoms.own(), ghosts, ghostFirsts, ghostOrder);
        ownPairs.begin(atoms.own());
        ghostPairs.begin(atoms.own());
        int own = 0;
        int ghost = 0;
        int atom = 0;
        for (int z = REACH; z < bins[2] - REACH; z++) {
            for (int y = REACH; y < bins[1] - REACH; y++) {
                for (int x = REACH; x < bins[0] - REACH; x++) {
                    for (int end = ownFirsts[bin(x, y, z) + 1]; atom < end; atom++) {
                        ownPairs.firsts[atom] = own;
                        ghostPairs.firsts[atom] = ghost;
                        own = addOwn(atoms, atom, x, y, z, own);
                        ghost = addGhosts(atoms, atom, x, y, z, ghost);
                    }
                }
            }
        }
        ownPairs.firsts[atom] = own;
        ghostPairs.firsts[atom] = ghost;
    }

    /** Pairs of atoms of this rank. */
    Pairs own() {
        return ownPairs;
    }

    /** Pairs of an atom of this rank and a ghost. */
    Pairs ghost() {
        return ghostPairs;
    }

    private int bin(int x, int y, int z) {
        return (z * bins[1] + y) * bins[0] + x;
    }

    private int coordinate(double position, int d, int least, int most) {
        int at = REACH + (int) Math.floor((position - brick.low(d)) * binsPerLength[d]);
        return Math.clamp(at, least, most); // rounding may take an atom across the border
    }

    /** Order of atoms by bins, from one on. */
    private int[] order(double[] positions, int from, int count, int[] firsts, int[] order) {
        if (binOf.length < count) {
            binOf = new int[count + count / MORE];
        }
        int margin = from == 0 ? REACH : 0;
        Arrays.fill(firsts, 0);
        for (int i = 0; i < count; i++) {
            int at = Atoms.STRIDE * (from + i);
            binOf[i] = bin(coordinate(positions[at], 0, margin, bins[0] - 1 - margin),
                coordinate(positions[at + 1], 1, margin, bins[1] - 1 - margin),
                coordinate(positions[at + 2], 2, margin, bins[2] - 1 - margin));
            firsts[binOf[i] + 1]++;
        }
        for (int b = 1; b < firsts.length; b++) {
            firsts[b] += firsts[b - 1];
        }
        for (int i = 0; i < count; i++) {
            order[firsts[binOf[i]]++] = from + i;
        }
        System.arraycopy(firsts, 0, firsts, 1, firsts.length - 1); // each first has become the next one's
        firsts[0] = 0;
        return order;
    }

    /** Adds neighbours behind an atom in the order; returns how many neighbours there are then. */
    private int addOwn(Atoms atoms, int atom, int x, int y, int z, int used) {
        int all = used;
        for (int w = z; w <= z + REACH; w++) {
            for (int v = w == z ? y : y - REACH; v <= y + REACH; v++) {
                boolean same = w == z && v == y;
                int from = same ? atom + 1 : ownFirsts[bin(x - REACH, v, w)];
                all = addNear(atoms, atom, null, from, ownFirsts[bin(x + REACH, v, w) + 1], ownPairs, all);
            }
        }
        return all;
    }

    private int addGhosts(Atoms atoms, int atom, int x, int y, int z, int used) {
        int all = used;
        for (int w = z - REACH; w <= z + REACH; w++) {
            for (int v = y - REACH; v <= y + REACH; v++) {
                all = addNear(atoms, atom, ghostOrder, ghostFirsts[bin(x - REACH, v, w)],
                    ghostFirsts[bin(x + REACH, v, w) + 1], ghostPairs, all);
            }
        }
        return all;
    }

    /** Adds those of a range that are near; without an order the range is one of atoms themselves. */
    private int addNear(Atoms atoms, int atom, int[] order, int from, int end, Pairs pairs, int used) {
        double[] positions = atoms.positions();
        int at = Atoms.STRIDE * atom;
        double x = positions[at];
        double y = positions[at + 1];
        double z = positions[at + 2];
        double limit = brick.halo() * brick.halo();
        int[] neighbours = pairs.reserve(used, Math.max(0, end - from));
        int all = used;
        for (int i = from; i < end; i++) {
            int other = Atoms.STRIDE * (order == null ? i : order[i]);
            double dx = positions[other] - x;
            double dy = positions[other + 1] - y;
            double dz = positions[other + 2] - z;
            neighbours[all] = other;
            if (dx * dx + dy * dy + dz * dz < limit) {
                all++;
            }
        }
        return all;
    }
}

package org.tributary.miniapps.multigrid;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.tributary.client.Gas;

/**
 * The right-hand side: each point of the whole grid has a random number, in the order of x, y, z. The ten points with
 * the largest numbers get +1, the ten with the smallest -1. Each rank finds the twenty of its box, and all ranks choose
 * among those of all.
 */
final class Charges {
    private static final int COUNT = 10;
    private static final long NONE = -1;
    private static final Comparator<Candidate> ASCENDING = Comparator.comparingLong(Candidate::number);

    private final long extent;
    private final int[] start;
    private final int[] extents;

    /** A point, by its place in the whole grid in row-major order, and its random number. */
    private record Candidate(long number, long point) {
    }

    /** The best candidates so far, the worst of which goes first. */
    private static final class Best {
        private final PriorityQueue<Candidate> queue;
        private final Comparator<Candidate> order;

        Best(Comparator<Candidate> order) {
            this.order = order;
            queue = new PriorityQueue<>(order);
        }

        void offer(Candidate candidate) {
            queue.add(candidate);
            if (queue.size() > COUNT) {
                queue.remove();
            }
        }

        boolean wants(long number) {
            return queue.size() < COUNT || order.compare(new Candidate(number, NONE), queue.peek()) > 0;
        }

        List<Candidate> all() {
            return List.copyOf(queue);
        }
    }

    /** For a box of a grid of {@code extent} points along each dimension. */
    Charges(int extent, int[] start, int[] extents) {
        this.extent = extent;
        this.start = start.clone();
        this.extents = extents.clone();
    }

    /** Puts the charges of the box into a grid; collective. */
    void put(Gas gas, Grid grid) {
        Best largest = new Best(ASCENDING);
        Best smallest = new Best(ASCENDING.reversed());
        search(largest, smallest);
        put(gather(gas, largest), ASCENDING, 1, grid);
        put(gather(gas, smallest), ASCENDING.reversed(), -1, grid);
    }

    private void search(Best largest, Best smallest) {
        for (int z = 0; z < extents[0]; z++) {
            for (int y = 0; y < extents[1]; y++) {
                long first = ((start[0] + z) * extent + start[1] + y) * extent + start[2];
                RandomNumbers numbers = new RandomNumbers(first);
                for (int x = 0; x < extents[2]; x++) {
                    long number = numbers.next();
                    if (largest.wants(number)) {
                        largest.offer(new Candidate(number, first + x));
                    }
                    if (smallest.wants(number)) {
                        smallest.offer(new Candidate(number, first + x));
                    }
                }
            }
        }
    }

    /** The candidates of all ranks; a small box has fewer than others. */
    private static List<Candidate> gather(Gas gas, Best best) {
        long[] own = new long[2 * COUNT];
        Arrays.fill(own, NONE);
        int at = 0;
        for (Candidate candidate : best.all()) {
            own[at++] = candidate.number;
            own[at++] = candidate.point;
        }
        long[] all = gas.world().allgather(own);
        List<Candidate> candidates = new ArrayList<>();
        for (int i = 0; i < all.length; i += 2) {
            if (all[i + 1] != NONE) {
                candidates.add(new Candidate(all[i], all[i + 1]));
            }
        }
        return candidates;
    }

    private void put(List<Candidate> candidates, Comparator<Candidate> order, double charge, Grid grid) {
        candidates.sort(order.reversed());
        for (Candidate chosen : candidates.subList(0, COUNT)) {
            int x = (int) (chosen.point % extent) - start[2];
            int y = (int) (chosen.point / extent % extent) - start[1];
            int z = (int) (chosen.point / extent / extent) - start[0];
            if (isInside(x, 2) && isInside(y, 1) && isInside(z, 0)) {
                grid.row(z, y)[x + 1] = charge;
            }
        }
    }

    private boolean isInside(int at, int dimension) {
        return at >= 0 && at < extents[dimension];
    }
}

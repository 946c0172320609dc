package org.tributary.benchmarks.windows;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.tributary.config.ConfigException;
import org.tributary.config.Topology;
import org.tributary.miniapps.Progress;

/** Works through parts, in step on all ranks; those without anything to do in one wait for its end. */
final class Suite {
    private final Bench bench;
    private final List<Part> parts;

    Suite(Bench bench, List<Part> parts) {
        this.bench = bench;
        this.parts = parts;
    }

    /** The parts that a job can do. */
    static List<Part> available(Topology topology) {
        List<Part> available = new ArrayList<>();
        for (Part part : Part.values()) {
            if (topology.rankCount() > 1 && (part != Part.LOCK_MESSAGES || topology.nodeCount() > 1)) {
                available.add(part);
            }
        }
        return available;
    }

    /**
     * Refuses parts that a job cannot do.
     *
     * @throws ConfigException when there are any, or none at all
     */
    static void check(List<Part> parts, Topology topology) {
        List<Part> missing = new ArrayList<>(parts);
        missing.removeAll(available(topology));
        if (parts.isEmpty() || !missing.isEmpty()) {
            throw new ConfigException("windows need two ranks, and " + Part.LOCK_MESSAGES + " two nodes; this job has "
                + topology.rankCount() + " on " + topology.nodeCount());
        }
    }

    /** Collective. */
    void run() throws IOException {
        bench.tell(Progress.of("windows", thirds(), bench.isOrigin()));
        run(new FirstContest(bench));
        for (Part part : parts) {
            run(experiment(part));
        }
    }

    private void run(Experiment experiment) throws IOException {
        experiment.run();
        bench.gas().barrier();
    }

    /** How long it takes, in thirds of a contest. */
    int thirds() {
        return new FirstContest(bench).thirds() + parts.stream().mapToInt(part -> experiment(part).thirds()).sum();
    }

    private Experiment experiment(Part part) {
        return switch (part) {
            case OVERLAP -> new Overlap(bench);
            case FENCE -> new FenceCost(bench);
            case HALO -> new Halo(bench);
            case GHOST_EXCHANGE -> new GhostExchange(bench);
            case LOCK_PUT_UNLOCK -> new LockPutUnlock(bench);
            case LOCK_MESSAGES -> new LockMessages(bench);
            case TWO_FENCES -> new TwoFences(bench);
        };
    }
}

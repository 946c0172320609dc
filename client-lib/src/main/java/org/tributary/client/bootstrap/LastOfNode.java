package org.tributary.client.bootstrap;

import java.nio.file.Files;
import java.util.concurrent.locks.LockSupport;
import org.tributary.wire.LongWait;
import org.tributary.wire.shm.NodeDirectory;

/**
 * The rank of a node that leaves after all others of it. Its process does not end before the node's server: where a
 * node has no process of a step any more, Slurm kills what these have started, by its control group, and ranks of other
 * nodes may still read memory that only this server gives them. Leaving itself does not wait, so that a program can go
 * on meanwhile, with MPI for example.
 */
final class LastOfNode {
    private static final long LOOK_NS = 2_000_000;
    private static final long LONGEST_LOOK_NS = 100_000_000;
    /** A server that was killed, and its shell with it, leaves its directory to whoever sweeps. */
    private static final long SWEEP_NS = 1_000_000_000;

    private final NodeDirectory directory;
    private final int rank;
    private final int node;

    LastOfNode(NodeDirectory directory, int rank, int node) {
        this.directory = directory;
        this.rank = rank;
        this.node = node;
    }

    /** Now, when the process is ending already. */
    void stayAtExit() {
        try {
            Runtime.getRuntime().addShutdownHook(new Thread(this::stay, "tributary-stay-" + rank));
        } catch (IllegalStateException e) {
            stay();
        }
    }

    /** Until the server has removed its directory, or is dead: the job ends it, well or not, and nothing else does. */
    void stay() {
        long startNs = System.nanoTime();
        long sweptNs = startNs;
        LongWait wait = new LongWait(startNs);
        while (Files.exists(directory.path())) {
            long nowNs = System.nanoTime();
            if (nowNs - sweptNs >= SWEEP_NS) {
                NodeDirectory.sweep(directory.path().getParent());
                sweptNs = nowNs;
            }
            if (wait.takeNotice(nowNs)) {
                System.err.println("tributary: rank " + rank + " has left, and still waits for the communication server"
                    + " of node " + node + ", which ranks of other nodes may use (" + wait.seconds(nowNs) + " s)");
            }
            LockSupport.parkNanos(Math.clamp((nowNs - startNs) / 8, LOOK_NS, LONGEST_LOOK_NS));
        }
    }
}

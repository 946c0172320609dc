package org.tributary.simulator;

/** What the ranks of a simulated job do. */
public interface Program {
    /**
     * The next step of a rank, which has come so far; by calling one or several methods of it. A rank that is given no
     * step has finished.
     */
    void step(RankSteps rank);
}

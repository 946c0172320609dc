package org.tributary.simulator;

/** The program of the ranks of a simulated job. */
public interface Program {
    /**
     * The next step of a rank, which has come so far; by calling one or several methods of it. A rank that is given no
     * step has finished.
     */
    void step(RankSteps rank);
}

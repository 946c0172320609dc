package org.tributary.simulator;

/** The steps of a simulated rank. */
public interface RankSteps {
    int rank();

    int stepsMade();

    long nowNs();

    /** Begins an operation; several may be under way. */
    Op begin(Op.Kind kind, int targetNode, long word, long operand, int payloadBytes);

    /** The next step comes when that operation is complete, at its target too. */
    void await(Op op);

    /** The next step comes when everything begun so far is complete. */
    void awaitAll();

    /** The next step comes after that time. */
    void compute(long durationNs);
}

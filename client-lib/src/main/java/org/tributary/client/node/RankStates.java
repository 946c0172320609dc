package org.tributary.client.node;

import java.util.function.BooleanSupplier;
import org.tributary.wire.RankState;

/** How a thread that waits for a rank of any node asks for its state. */
public interface RankStates {
    /**
     * The state of a rank; null when {@code enough} became true before there was an answer: a server may be slow to
     * give one, and what the thread waits for may come from elsewhere.
     */
    RankState of(int rank, BooleanSupplier enough);
}

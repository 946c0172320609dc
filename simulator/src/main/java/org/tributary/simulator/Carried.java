package org.tributary.simulator;

import java.util.List;

/**
 * A request on one connection.
 *
 * @param ops those that became one, a single one mostly
 * @param operand of all of them together
 * @param id what its answer is to carry; -1 for a one-way request
 * @param wantsAck whether its sender asks for an acknowledgement
 */
record Carried(List<Op> ops, long operand, long id, boolean wantsAck) {
    Op op() {
        return ops.getFirst();
    }
}

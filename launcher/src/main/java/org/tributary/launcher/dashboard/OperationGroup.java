package org.tributary.launcher.dashboard;

import java.util.Arrays;
import org.tributary.config.EnumText;
import org.tributary.launcher.step.NodeRates.Rate;
import org.tributary.wire.status.ServerOperation;

/** Operations that share a line of the plots. */
enum OperationGroup {
    PUT, GET, ACCUMULATE, ATOMIC, OTHER;

    private static final ServerOperation[] OPERATIONS = ServerOperation.values();

    static OperationGroup of(ServerOperation operation) {
        return switch (operation) {
            case PUT, PUT_STRIDED, PUT_VECTOR, LOCKED_PUT -> PUT;
            case GET, GET_STRIDED, GET_VECTOR, LOCKED_GET -> GET;
            case ACCUMULATE, ACCUMULATE_STRIDED, ACCUMULATE_VECTOR, LOCKED_ACCUMULATE, GET_ACCUMULATE -> ACCUMULATE;
            case ATOMIC -> ATOMIC;
            case SIGNAL, NOTIFY, UNLOCK, FENCE, LOCK, PROBE, ALLOCATE, FREE, LOCK_WINDOW, UNLOCK_WINDOW -> OTHER;
        };
    }

    /** Rates by the code of the operation, by the code of the group. */
    static Rate[] sums(Rate... operations) {
        Rate[] sums = new Rate[values().length];
        Arrays.fill(sums, Rate.NONE);
        for (int i = 0; i < operations.length; i++) {
            if (operations[i].requests() > 0) { // of few there are any
                int group = of(OPERATIONS[i]).ordinal();
                sums[group] = sums[group].plus(operations[i]);
            }
        }
        return sums;
    }

    String label() {
        return EnumText.underscored(this);
    }
}

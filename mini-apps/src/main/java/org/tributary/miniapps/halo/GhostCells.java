package org.tributary.miniapps.halo;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.tributary.miniapps.exchange.Exchange;
import org.tributary.miniapps.exchange.Neighbourhood;

/**
 * Contents of messages of ints that say who sent them, in which direction, in which step, and which int of the message
 * they are. With {@code everything}, all ints are of the step; otherwise the first and the last are, and those between
 * stay as step 0 left them, so that filling costs next to nothing beside the exchange.
 */
final class GhostCells {
    private final Neighbourhood neighbourhood;
    private final int count;
    private final boolean everything;

    GhostCells(Neighbourhood neighbourhood, int count, boolean everything) {
        this.neighbourhood = neighbourhood;
        this.count = count;
        this.everything = everything;
    }

    /** Odd factors, of which no small sums are 0: any other rank, direction, step or index gives another number. */
    private static int content(int sender, int direction, int step, long index) {
        return sender * 0x9E3779B1 + direction * 0x85EBCA6B + step * 0xC2B2AE35 + (int) index;
    }

    private boolean isOfStep(int step, long index) {
        return everything || step == 0 || index == 0 || index == count - 1;
    }

    /** Fills the outgoing messages of a step. */
    void fill(Exchange exchange, int step) {
        for (int direction = 0; direction < neighbourhood.count(); direction++) {
            MemorySegment message = exchange.outgoing(direction);
            if (everything || step == 0) {
                for (int index = 0; index < count; index++) {
                    set(message, direction, step, index);
                }
            } else {
                set(message, direction, step, 0);
                set(message, direction, step, count - 1);
            }
        }
    }

    private void set(MemorySegment message, int direction, int step, int index) {
        message.setAtIndex(ValueLayout.JAVA_INT, index, content(neighbourhood.self(), direction, step, index));
    }

    /**
     * Ints of a step's messages that are not as they should be: of all that this step has filled, or of all that there
     * are when it is the {@code last}.
     */
    long wrong(Exchange exchange, int step, boolean last) {
        return wrong(exchange, step, everything || last ? 1 : Math.max(1, count - 1));
    }

    private long wrong(Exchange exchange, int step, int stride) {
        long wrong = 0;
        for (int direction = 0; direction < neighbourhood.count(); direction++) {
            MemorySegment message = exchange.incoming(direction);
            int sender = neighbourhood.rank(direction);
            int sent = neighbourhood.opposite(direction);
            for (long index = 0; index < count; index += stride) {
                int expected = content(sender, sent, isOfStep(step, index) ? step : 0, index);
                if (message.getAtIndex(ValueLayout.JAVA_INT, index) != expected) {
                    wrong++;
                }
            }
        }
        return wrong;
    }
}

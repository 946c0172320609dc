package org.tributary.miniapps.exchange;

import java.util.EnumSet;
import java.util.Set;
import org.tributary.client.Gas;
import org.tributary.client.window.EpochDesign;
import org.tributary.client.window.FenceDesign;
import org.tributary.client.window.Window;
import org.tributary.client.window.WindowOptions;
import org.tributary.config.EnumText;
import org.tributary.wire.shape.ReduceOp;

/** How an exchange synchronizes. */
public enum Synchronization {
    /** A window, with two fences a step. */
    FENCE(Design.AUTO, Design.DEFERRED, Design.IMMEDIATE_NAIVE, Design.IMMEDIATE_OPT, Design.IMMEDIATE_NOTIFY) {
        @Override
        Exchange open(Gas gas, Neighbourhood neighbourhood, Slots slots, Design design) {
            WindowOptions options = WindowOptions.DEFAULT.withFence(FenceDesign.valueOf(design.name()));
            return new FenceExchange(neighbourhood, slots, window(gas, slots.total(), options));
        }
    },
    /** A window, with post, start, complete and wait. */
    PSCW(Design.AUTO, Design.DEFERRED, Design.IMMEDIATE) {
        @Override
        Exchange open(Gas gas, Neighbourhood neighbourhood, Slots slots, Design design) {
            WindowOptions options = WindowOptions.DEFAULT.withExposure(EpochDesign.valueOf(design.name()));
            return new PscwExchange(neighbourhood, slots, window(gas, slots.total(), options));
        }
    },
    /** A window, with a shared lock on each neighbour, and notifications. */
    LOCK(Design.AUTO, Design.DEFERRED, Design.IMMEDIATE) {
        @Override
        Exchange open(Gas gas, Neighbourhood neighbourhood, Slots slots, Design design) {
            WindowOptions options = WindowOptions.DEFAULT.withLock(EpochDesign.valueOf(design.name()));
            return new LockExchange(gas, neighbourhood, slots,
                window(gas, LockExchange.BUFFERS * slots.total(), options));
        }
    },
    /** No window: puts into mailboxes, and notifications; what point-to-point messages are elsewhere. */
    MAILBOX(Design.AUTO) {
        @Override
        Exchange open(Gas gas, Neighbourhood neighbourhood, Slots slots, Design design) {
            return MailboxExchange.open(gas, neighbourhood, slots);
        }
    },
    /** No window: notifications of messages, which the neighbours get. */
    GET(Design.AUTO) {
        @Override
        Exchange open(Gas gas, Neighbourhood neighbourhood, Slots slots, Design design) {
            return new GetExchange(gas, neighbourhood, slots);
        }
    };

    private final Set<Design> designs;

    Synchronization(Design first, Design... others) {
        designs = EnumSet.of(first, others);
    }

    /** The designs that there are; only {@link Design#AUTO} where there is nothing to choose. */
    public Set<Design> designs() {
        return EnumSet.copyOf(designs);
    }

    /**
     * Makes an exchange; collective over all ranks.
     *
     * @param bytes length of the message to send in each direction, the same on all ranks
     * @throws IllegalArgumentException when this synchronization has no such design, or lengths do not fit; on all
     *         ranks when they have different lengths
     */
    public Exchange open(Gas gas, Neighbourhood neighbourhood, Design design, long... bytes) {
        if (!designs.contains(design)) {
            throw new IllegalArgumentException(this + " has no design " + design + ", only " + designs);
        }
        if (bytes.length != neighbourhood.count()) {
            throw new IllegalArgumentException(bytes.length + " lengths for " + neighbourhood.count() + " directions");
        }
        checkAlike(gas, bytes);
        return open(gas, neighbourhood, new Slots(bytes), design);
    }

    /** Neighbours would write beside the places of messages. */
    private static void checkAlike(Gas gas, long... bytes) {
        int count = bytes.length;
        long[] most = new long[2 * count];
        for (int direction = 0; direction < count; direction++) {
            most[direction] = bytes[direction];
            most[count + direction] = -bytes[direction];
        }
        gas.world().allreduce(ReduceOp.MAX, most);
        for (int direction = 0; direction < count; direction++) {
            if (most[direction] != -most[count + direction]) {
                throw new IllegalArgumentException("messages in direction " + direction + " have from "
                    + -most[count + direction] + " to " + most[direction]
                    + " bytes; they must be of the same length on all ranks");
            }
        }
    }

    abstract Exchange open(Gas gas, Neighbourhood neighbourhood, Slots slots, Design design);

    private static Window window(Gas gas, long bytes, WindowOptions options) {
        return Window.allocate(gas, gas.world(), bytes, 1, options);
    }

    /** For example {@code fence}. */
    @Override
    public String toString() {
        return EnumText.underscored(this);
    }
}

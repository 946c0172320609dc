package org.tributary.globalarrays.file;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Function;
import org.tributary.client.Group;
import org.tributary.wire.shape.ReduceOp;

/** Something that all members of a group do, and that has failed on all of them if it has on one. */
final class Agreement {
    private static final int MOST_BYTES = 1 << 10;

    private Agreement() {
    }

    /** A step that each member takes by itself, and that may fail on some. */
    interface Step {
        /** Throws what the others are to hear of. */
        void run() throws ArrayFileException;
    }

    /**
     * Does it, and waits for the others. Collective. A member on which it has failed otherwise than by an
     * {@link ArrayFileException}, such as for lack of memory, throws that failure, and the others its text.
     *
     * @throws ArrayFileException on every other member, with the words of the first in the group's order that has
     *                            failed
     */
    static void on(Group group, Step step) {
        on(group, step, () -> { });
    }

    /**
     * The same, with something that each member does when it has failed: all have done it when one throws, unless the
     * job has failed, so that they cannot meet.
     *
     * @param undo must not throw
     */
    static void on(Group group, Step step, Runnable undo) {
        Throwable own = failureOf(step); // the others must not wait in vain, whatever it is
        String failure;
        try {
            failure = meet(group, own instanceof ArrayFileException ? own.getMessage() : Objects.toString(own, null));
        } catch (RuntimeException | Error e) {
            undo.run();
            throw e;
        }
        if (failure != null) {
            undo.run();
            group.barrier();
            switch (own) {
                case Error error -> throw error;
                case RuntimeException exception when !(own instanceof ArrayFileException) -> throw exception;
                case null, default -> throw new ArrayFileException(failure, own);
            }
        }
    }

    private static Throwable failureOf(Step step) {
        try {
            step.run();
            return null;
        } catch (RuntimeException | Error e) {
            return e;
        }
    }

    /**
     * Refuses numbers that are not the same on all members. Collective.
     *
     * @param difference what a member says whose numbers are others than those of the first one, which it gets
     * @throws ArrayFileException on every member
     */
    static void onSame(Group group, long[] own, Function<long[], String> difference) {
        long[] first = own.clone();
        group.broadcast(0, first);
        on(group, () -> {
            if (!Arrays.equals(first, own)) {
                throw new ArrayFileException(difference.apply(first));
            }
        });
    }

    /** The text of the first member that has one, or null. */
    private static String meet(Group group, String own) {
        long first = group.allreduce(ReduceOp.MIN, own == null ? Long.MAX_VALUE : (long) group.rank());
        if (first == Long.MAX_VALUE) {
            return null;
        }
        byte[] text = new byte[MOST_BYTES];
        if (own != null) {
            byte[] all = own.getBytes(StandardCharsets.UTF_8);
            System.arraycopy(all, 0, text, 0, Math.min(all.length, text.length));
        }
        group.broadcast((int) first, text);
        int length = text.length;
        while (length > 0 && text[length - 1] == 0) {
            length--;
        }
        return new String(Arrays.copyOf(text, length), StandardCharsets.UTF_8) + " (rank "
            + group.worldRank((int) first) + ")";
    }
}

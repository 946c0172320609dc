package org.tributary.client.bootstrap;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.tributary.wire.Deadline;
import org.tributary.wire.LongWait;

/**
 * A wait at the start of a rank, of which a line says what it is for when it has become long, and each time it has
 * doubled.
 *
 * @param who     waits
 * @param what    it waits for
 * @param limitNs of the wait
 * @param firstNs after which the first line comes
 * @param lines   take a line each
 */
record NamedWait(String who, String what, long limitNs, long firstNs, Consumer<String> lines) {
    NamedWait(String who, String what, long limitNs) {
        this(who, what, limitNs, LongWait.FIRST_NS, System.err::println);
    }

    /** The result, when it is there in time. */
    <T> T get(Future<T> result) throws ExecutionException, InterruptedException, TimeoutException {
        Deadline deadline = Deadline.in(limitNs);
        LongWait wait = new LongWait(System.nanoTime(), firstNs);
        while (true) {
            try {
                return result.get(Math.clamp(deadline.leftNs(), 1, Deadline.LOOK_NS), TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                long nowNs = System.nanoTime();
                if (deadline.isOver()) {
                    throw e;
                }
                if (wait.takeNotice(nowNs)) {
                    lines.accept("tributary: " + who + " still waits for " + what + " (" + wait.seconds(nowNs)
                        + " s of " + TimeUnit.NANOSECONDS.toSeconds(limitNs) + " s)");
                }
            }
        }
    }
}

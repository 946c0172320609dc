package org.tributary.server.memory;

import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.tributary.server.observe.GuardedTasks;

/**
 * Goes once through all event loops that use the memory of the node: what the main one has done before, each of them
 * knows afterwards, and nothing is under way on it that began without knowing. Owned by the main event loop.
 */
final class LoopPass {
    private static final int MAIN = 0;

    /** The main one first; empty for that one alone. */
    private final List<GuardedTasks> loops;

    LoopPass() {
        this(List.of());
    }

    LoopPass(List<GuardedTasks> loops) {
        this.loops = List.copyOf(loops);
    }

    /** Each loop does something, with its number; the main one does so at once, and goes on when all have. */
    void through(IntConsumer action, Runnable then) {
        action.accept(MAIN);
        if (loops.size() <= 1) {
            then.run();
            return;
        }
        AtomicInteger left = new AtomicInteger(loops.size() - 1);
        for (int loop = 1; loop < loops.size(); loop++) {
            int number = loop;
            Runnable come = () -> {
                action.accept(number);
                if (left.decrementAndGet() == 0) {
                    loops.get(MAIN).run(then);
                }
            };
            try {
                loops.get(number).execute(come);
            } catch (RejectedExecutionException e) {
                come.run(); // that loop has ended
            }
        }
    }
}

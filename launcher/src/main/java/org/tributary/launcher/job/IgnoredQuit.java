package org.tributary.launcher.job;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import org.tributary.wire.libc.CFunction;

/**
 * Starting processes that ignore SIGQUIT, which Ctrl-\ at a terminal sends to all processes of a job, and which ends
 * those that do not expect it. A JVM expects it once it has started, however it was started.
 */
final class IgnoredQuit {
    /** More than a {@code struct sigaction} takes; it begins with the handler. */
    private static final int ACTION_BYTES = 256;
    private static final long SIG_IGN = 1;

    private final CFunction sigaction = CFunction.of("sigaction");
    private final MemorySegment ignored = Arena.ofAuto().allocate(ACTION_BYTES, Long.BYTES);
    private final MemorySegment handled = Arena.ofAuto().allocate(ACTION_BYTES, Long.BYTES);

    /** Made where there is time, since the first call of a function takes a while. */
    IgnoredQuit() {
        ignored.set(ValueLayout.JAVA_LONG, 0, SIG_IGN);
        call(MemorySegment.NULL, handled);
    }

    /** A process inherits what its parent ignores; so this one ignores it meanwhile. */
    void during(Starting processes) throws IOException {
        call(ignored, MemorySegment.NULL);
        try {
            processes.start();
        } finally {
            call(handled, MemorySegment.NULL);
        }
    }

    private void call(MemorySegment action, MemorySegment before) {
        int result = sigaction.call(ExitCodes.SIGQUIT, action.address(), before.address());
        Reference.reachabilityFence(this);
        if (result != 0) {
            throw new IllegalStateException("sigaction of SIGQUIT fails");
        }
    }

    /** Starts processes. */
    interface Starting {
        void start() throws IOException;
    }
}

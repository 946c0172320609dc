package org.tributary.launcher.bind;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import org.tributary.wire.libc.CFunction;

/** The processors of the calling thread, which processes that it starts inherit (sched_setaffinity(2)). */
public final class Affinity {
    private static final int MOST_CPUS = 8192;

    private Affinity() {
    }

    /**
     * Starts a process on some processors.
     *
     * @param cpus none for all that this thread may use
     */
    public static Process start(ProcessBuilder builder, BitSet cpus) throws IOException {
        if (cpus.isEmpty()) {
            return builder.start();
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment own = arena.allocate(MOST_CPUS / Byte.SIZE);
            MemorySegment chosen = arena.allocate(MOST_CPUS / Byte.SIZE);
            MemorySegment.copy(MemorySegment.ofArray(cpus.toByteArray()), 0, chosen, 0, cpus.toByteArray().length);
            call("sched_getaffinity", own);
            call("sched_setaffinity", chosen);
            try {
                return builder.start();
            } finally {
                call("sched_setaffinity", own);
            }
        }
    }

    private static void call(String name, MemorySegment mask) throws IOException {
        if (CFunction.of(name).call(0, mask.byteSize(), mask.address()) < 0) {
            throw new IOException(name + ": the kernel refuses these processors; --bind none leaves ranks unbound");
        }
    }
}

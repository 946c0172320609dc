package org.tributary.benchmarks.onesided;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class ComputeLoopTest {
    private final MemorySegment memory = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);
    private final ComputeLoop loop = new ComputeLoop(memory, 0);

    @Test
    void shouldComputeUntilFlagNamesItsPhase() throws Exception {
        CompletableFuture<Double> computing = CompletableFuture.supplyAsync(() -> run(2, 60));
        ValueLayout.JAVA_LONG.varHandle().setVolatile(memory, 0L, 1L);
        assertThrows(TimeoutException.class, () -> computing.get(250, TimeUnit.MILLISECONDS));

        ValueLayout.JAVA_LONG.varHandle().setVolatile(memory, 0L, 2L);

        assertEquals(1.0, computing.get(250, TimeUnit.SECONDS), 1e-3);
    }

    @Test
    void shouldGiveUpWhenNobodySaysStop() {
        CompletionException failed = assertThrows(CompletionException.class,
            () -> CompletableFuture.supplyAsync(() -> run(1, 1)).join());

        assertEquals(TimeoutException.class, failed.getCause().getClass());
        assertFalse(failed.getCause().getMessage().isEmpty());
    }

    private double run(long phase, long giveUpS) {
        try {
            return loop.runUntil(phase, giveUpS);
        } catch (TimeoutException e) {
            throw new CompletionException(e);
        }
    }
}

package org.tributary.client.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class NamedWaitTest {
    private static final long LIMIT_NS = 20_000_000_000L;

    @Test
    void shouldNameWhatItWaitsForWhenThatTakesLong() throws Exception {
        CompletableFuture<String> answer = new CompletableFuture<>();
        List<String> lines = new ArrayList<>();
        NamedWait wait = new NamedWait("rank 3", "PMIx_Fence of the process manager", LIMIT_NS, 1, line -> {
            lines.add(line);
            answer.complete("there");
        });
        assertEquals("there", wait.get(answer));
        assertEquals(1, lines.size(), lines::toString);
        assertTrue(lines.getFirst().matches("tributary: rank 3 still waits for PMIx_Fence of the process manager"
            + " \\(\\d+ s of 20 s\\)"), lines::toString);
    }

    @Test
    void shouldEndWhenItsTimeIsOver() {
        List<String> lines = new ArrayList<>();
        NamedWait wait = new NamedWait("a rank", "nobody", 1, LIMIT_NS, lines::add);
        assertThrows(TimeoutException.class, () -> wait.get(new CompletableFuture<>()));
        assertTrue(lines.isEmpty());
    }
}

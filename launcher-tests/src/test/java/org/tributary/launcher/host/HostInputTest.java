package org.tributary.launcher.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.tributary.launcher.link.Frame;

class HostInputTest {
    /** The host of a job that has ended says nothing more of what it was sent. */
    @Test
    void shouldLetTheReaderGoWhenTheJobEndsWhileItWaits() throws Exception {
        List<Frame> sent = new CopyOnWriteArrayList<>();
        CountDownLatch full = new CountDownLatch(1);
        HostInput input = new HostInput(frame -> {
            sent.add(frame);
            full.countDown();
        }, 0);
        byte[] bytes = new byte[AgentOutput.WINDOW];
        CompletableFuture<Boolean> taken = CompletableFuture.supplyAsync(() ->
            input.give(bytes, bytes.length) && input.give(bytes, 1));
        assertTrue(full.await(250, TimeUnit.SECONDS));
        input.stop();
        assertFalse(taken.get(250, TimeUnit.SECONDS));
        assertEquals(1, sent.size());
        assertFalse(input.give(bytes, 1));
        assertEquals(1, sent.size());
    }
}

package org.tributary.launcher.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class LauncherWatchTest {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(6);
    private static final String SSH = "10.0.0.1 50000 10.0.0.2 22";

    private final LauncherWatch watch = new LauncherWatch(() -> this.attempts, TIMEOUT_NS);
    private int attempts;
    private long nowNs;

    private boolean lookAfterSecond(int now) {
        attempts = now;
        nowNs += TimeUnit.SECONDS.toNanos(1);
        return watch.look(nowNs);
    }

    @Test
    void shouldCountAsDeadWhenItsKernelDoesNotAnswer() {
        int seconds = 1;
        for (int tried = 1; !lookAfterSecond(tried); tried++) {
            seconds++;
        }
        assertTrue(seconds >= 5 && seconds <= 8, seconds + " s");
    }

    @Test
    void shouldNotCountAsDeadWhenTheNetworkHasAPauseThatIsShorter() {
        for (int i = 0; i < 20; i++) { // the kernel tries again less and less often, last before the end of the pause
            int[] attempts = {1, 2, 3, 3, 4, 4, 4, 4, 4, 4, 0};
            for (int tried : attempts) {
                assertFalse(lookAfterSecond(tried));
            }
        }
    }

    @Test
    void shouldNotCountAsDeadWhenItsKernelAnswers() {
        for (int i = 0; i < 100; i++) {
            assertFalse(lookAfterSecond(0), "all is acknowledged, though the launcher may be stopped");
        }
        for (int i = 0; i < 100; i++) {
            assertFalse(lookAfterSecond(3 - i % 3), "a network that loses much");
        }
    }

    @Test
    void shouldWatchWhenSshHasStartedTheAgent() {
        assertTrue(LauncherWatch.of(Map.of("SSH_CONNECTION", SSH), Map.of(), TIMEOUT_NS).isPresent());
        assertTrue(LauncherWatch.of(Map.of("SSH_CONNECTION", SSH), Map.of("SSH_CONNECTION", "10.0.0.9 7 10.0.0.1 22"),
            TIMEOUT_NS).isPresent());
        assertTrue(LauncherWatch.of(Map.of("SSH_CONNECTION", SSH), Map.of("SSH_CONNECTION", SSH), TIMEOUT_NS)
            .isEmpty(), "it is that of the session in which the launcher runs");
        assertTrue(LauncherWatch.of(Map.of(), Map.of("SSH_CONNECTION", SSH), TIMEOUT_NS).isEmpty());
    }

    @Test
    @Timeout(300)
    void shouldSayItOnceWhenStarted() throws InterruptedException {
        CountDownLatch beats = new CountDownLatch(3);
        CountDownLatch silent = new CountDownLatch(2);
        AtomicInteger tried = new AtomicInteger();
        new LauncherWatch(tried::incrementAndGet, TimeUnit.MILLISECONDS.toNanos(60)).start(beats::countDown,
            silent::countDown);
        beats.await();
        while (silent.getCount() == 2) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        assertFalse(silent.await(100, TimeUnit.MILLISECONDS));
        assertEquals(1, silent.getCount());
    }
}

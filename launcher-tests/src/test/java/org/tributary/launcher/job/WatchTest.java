package org.tributary.launcher.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.tributary.launcher.status.JobView;

class WatchTest {
    private static final long DEADLINE_S = 150;

    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final AtomicInteger threads = new AtomicInteger();

    /** Otherwise the end of one could be taken for that of the other. */
    @Test
    void shouldMakeNoOtherReportWhenTheEndOfTheFirstHasNotBeenNoted() throws Exception {
        try (Watch watch = new Watch(unreadable(), events, work -> {
            threads.incrementAndGet();
            return Thread.ofPlatform().daemon().unstarted(work);
        })) {
            watch.report("first", 0);
            assertEnds();
            watch.report("second", 0);
            assertEquals(1, threads.get());
            watch.noteEnd();
            watch.report("third", 0);
            assertEquals(2, threads.get());
            assertEnds();
        }
    }

    private void assertEnds() throws InterruptedException {
        Event event = events.poll(DEADLINE_S, TimeUnit.SECONDS);
        assertTrue(event instanceof Event.Report report && report.isEnd(), () -> "" + event);
    }

    private static JobView unreadable() {
        return (JobView) Proxy.newProxyInstance(JobView.class.getClassLoader(), new Class<?>[] {JobView.class},
            (proxy, method, arguments) -> {
                throw new IllegalStateException("not to be read");
            });
    }
}

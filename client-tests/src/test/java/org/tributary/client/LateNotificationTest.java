package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.error.JobAbortedException;
import org.tributary.client.testing.TestJob;
import org.tributary.config.Settings;
import org.tributary.testsupport.TestedProviders;

/** A notification of a rank that attaches later than others wait for it. */
class LateNotificationTest {
    private static final long DEADLINE_S = 200;
    private static final int IMPATIENCE_S = 4;

    private static Gas attachImpatiently(TestJob job) {
        return Gas.attach(job.environmentOf(0), Settings.builder().set("server.bind-address=" + TestedProviders.ADDRESS)
            .set("job.on-failure=throw").set("connect.timeout=60s").set("attach.timeout=" + IMPATIENCE_S + "s")
            .build());
    }

    private static CompletableFuture<Void> notification(TestJob job) {
        return beside(() -> {
            try (Gas late = job.attach(1)) {
                late.notify(0);
            }
        });
    }

    /** On a thread of its own: the common pool has but one on two processors. */
    private static CompletableFuture<Void> beside(Runnable work) {
        return CompletableFuture.runAsync(work, task -> Thread.ofPlatform().daemon().start(task));
    }

    private static void assertHasNotAttached(Throwable failure) {
        assertInstanceOf(JobAbortedException.class, failure);
        assertTrue(failure.getMessage().startsWith("rank 1 has not attached within " + IMPATIENCE_S + " s"),
            failure.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "1,1"})
    void shouldWaitForOneNotificationWhenAWaitBeforeHasFailed(String layout) throws Exception {
        try (TestJob job = TestJob.start(layout, "attach.timeout=300s");
             Gas early = attachImpatiently(job)) {
            assertHasNotAttached(assertThrows(JobAbortedException.class, () -> early.waitNotify(1)));
            CompletableFuture<Void> notifies = notification(job);
            CompletableFuture<Void> waits = beside(() -> early.waitNotify(1));
            waits.get(DEADLINE_S, TimeUnit.SECONDS);
            notifies.get(DEADLINE_S, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldGiveTheNotificationToAThreadThatWaitsWhenTheOneBeforeItHasFailed() throws Exception {
        try (TestJob job = TestJob.start("1,1", "attach.timeout=300s");
             Gas early = attachImpatiently(job)) {
            CompletableFuture<Void> fails = beside(() -> early.waitNotify(1));
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(IMPATIENCE_S - 1)); // so much longer waits the other one
            CompletableFuture<Void> waits = beside(() -> early.waitNotify(1));
            assertHasNotAttached(assertThrows(ExecutionException.class,
                () -> fails.get(DEADLINE_S, TimeUnit.SECONDS)).getCause());
            CompletableFuture<Void> notifies = notification(job);
            try {
                waits.get(DEADLINE_S, TimeUnit.SECONDS);
            } catch (ExecutionException e) { // the rank took too long to attach
                assertHasNotAttached(e.getCause());
                notifies.get(DEADLINE_S, TimeUnit.SECONDS);
                early.waitNotify(1);
            }
            notifies.get(DEADLINE_S, TimeUnit.SECONDS);
        }
    }
}

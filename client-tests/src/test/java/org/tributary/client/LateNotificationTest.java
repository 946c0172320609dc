package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.error.JobAbortedException;
import org.tributary.client.testing.TestJob;
import org.tributary.config.Settings;
import org.tributary.testsupport.TestedProviders;

/** A notification of a rank that attaches later than others wait for it. */
class LateNotificationTest {
    private static final long DEADLINE_S = 200;

    @ParameterizedTest
    @ValueSource(strings = {"2", "1,1"})
    void shouldWaitForOneNotificationWhenAWaitBeforeHasFailed(String layout) throws Exception {
        Settings impatient = Settings.builder().set("server.bind-address=" + TestedProviders.ADDRESS)
            .set("job.on-failure=throw").set("connect.timeout=60s").set("attach.timeout=4s").build();
        try (TestJob job = TestJob.start(layout, "attach.timeout=300s");
             Gas early = Gas.attach(job.environmentOf(0), impatient)) {
            JobAbortedException failure = assertThrows(JobAbortedException.class, () -> early.waitNotify(1));
            assertTrue(failure.getMessage().startsWith("rank 1 has not attached within 4 s"), failure.getMessage());
            CompletableFuture<Void> notifies = CompletableFuture.runAsync(() -> {
                try (Gas late = job.attach(1)) {
                    late.notify(0);
                }
            });
            CompletableFuture<Void> waits = CompletableFuture.runAsync(() -> early.waitNotify(1));
            waits.get(DEADLINE_S, TimeUnit.SECONDS);
            notifies.get(DEADLINE_S, TimeUnit.SECONDS);
        }
    }
}

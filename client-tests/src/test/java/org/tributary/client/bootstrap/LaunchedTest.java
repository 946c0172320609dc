package org.tributary.client.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.client.error.AttachException;
import org.tributary.config.JobVariables;
import org.tributary.config.Settings;
import org.tributary.testsupport.ToleratesErrors;

/** Rank 0 of two; the other is the process manager's. */
@ToleratesErrors("cannot make a job with the others")
class LaunchedTest {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long AMPLE_NS = TimeUnit.MINUTES.toNanos(1);
    /** No path can have it. */
    private static final Map<String, String> BROKEN_HOME = Map.of(JobVariables.HOME, "\0");

    @TempDir
    private Path shm;

    private Settings settings() {
        return Settings.builder().set("shm.directory=" + shm).build();
    }

    private static boolean hasHeard(FakeProcessManager manager, String command) {
        return manager.heard().stream().anyMatch(line -> line.startsWith("cmd=" + command));
    }

    /** Of what the other rank puts. */
    private String answer(String line) {
        String self = Self.of(Map.of(), settings(), "").encode();
        return line.contains("key=trib-1-1-0") ? "cmd=get_result rc=0 value=0:" + self + "\n"
            : line.contains("cmd=get ") ? "cmd=get_result rc=0 value=0:\n" : null;
    }

    @Test
    void shouldSayNothingToTheProcessManagerWhenTheProcessEndsAsItMakesAJob() throws Exception {
        try (FakeProcessManager manager = new FakeProcessManager("2",
            line -> line.equals("cmd=barrier_in") ? FakeProcessManager.SILENCE : null)) {
            Exchange exchange = new Exchange(Pmi.open(manager.environment(), TIMEOUT_NS));
            CompletableFuture<Launched> job = CompletableFuture.supplyAsync(() ->
                Launched.make(exchange, Map.of(), settings(), ""), task -> Thread.ofPlatform().daemon().start(task));
            while (!hasHeard(manager, "barrier_in")) {
                assertFalse(job.isDone(), manager.heard().toString());
                LockSupport.parkNanos(1_000_000);
            }
            exchange.leave();
            assertFalse(hasHeard(manager, "finalize"));
            assertInstanceOf(AttachException.class, assertThrows(CompletionException.class, job::join).getCause());
            exchange.leave();
            assertFalse(hasHeard(manager, "finalize"), "it has not come to a good end");
        }
    }

    @Test
    void shouldTellTheOthersWhenItsServerCannotBeStarted() throws Exception {
        try (FakeProcessManager manager = new FakeProcessManager("2", this::answer)) {
            Exchange exchange = new Exchange(Pmi.open(manager.environment(), AMPLE_NS));
            AttachException e = assertThrows(AttachException.class,
                () -> Launched.make(exchange, BROKEN_HOME, settings(), ""));
            assertInstanceOf(AgreedFailure.class, e.getCause());
            assertTrue(e.getMessage().contains("rank 0: "), e.getMessage());
            assertEquals(4, manager.heard().stream().filter("cmd=barrier_in"::equals).count());
            exchange.leave();
            assertTrue(hasHeard(manager, "finalize") && !hasHeard(manager, "abort"), manager.heard().toString());
        }
    }
}

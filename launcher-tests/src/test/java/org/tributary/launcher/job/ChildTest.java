package org.tributary.launcher.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ChildTest {
    private static final int PIECE = 16 << 10;
    /** How many of these a pipe holds. */
    private static final int PIECES = 4;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();

    private Child start(String script) throws IOException {
        LineSink sink = new LineSink(out);
        Child child = Child.start("rank 0", "", new ProcessBuilder("/bin/sh", "-c", script), new BitSet(),
            new LinePump("", sink), new LinePump("", sink));
        child.onExit(new Ends(), exitCode::complete);
        return child;
    }

    private String output() {
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldTakeItsLastLinesWhenItPrintsAfterSigterm() throws Exception {
        Child child = start("trap 'echo checkpoint written; echo all well >&2; exit 3' TERM; echo up;"
            + " while :; do sleep 0.05; done");
        JobHarness.await(() -> output().contains("up"));
        child.signal(ExitCodes.SIGTERM);
        assertEquals(3, exitCode.get());
        child.awaitOutput(TimeUnit.MINUTES.toMillis(1));
        assertTrue(output().contains("checkpoint written\n") && output().contains("all well\n"), output());
    }

    /** It lives on after SIGTERM, and reads nothing of what another thread gives it. */
    @Test
    void shouldWaitForNobodyWhenItIsSignalledWhileItsInputIsFull(@TempDir Path folder) throws Exception {
        Path ready = folder.resolve("ready");
        Child child = start("trap '' TERM; : > '" + ready + "'; exec sleep 1000");
        JobHarness.await(() -> Files.exists(ready));
        AtomicInteger given = new AtomicInteger();
        Thread writer = Thread.ofPlatform().daemon().start(() -> {
            while (child.give(new byte[PIECE], PIECE)) {
                given.incrementAndGet();
            }
        });
        JobHarness.await(() -> given.get() == PIECES);
        child.signal(ExitCodes.SIGTERM);
        child.kill();
        assertEquals(ExitCodes.ofSignal(9), exitCode.get());
        writer.join();
    }
}

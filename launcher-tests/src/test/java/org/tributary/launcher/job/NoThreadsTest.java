package org.tributary.launcher.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs of a launcher that gets no thread any more: neither its own nor those that the JDK makes when it needs them. */
class NoThreadsTest {
    private static final long CHILD_S = 60;
    private static final String NO_THREAD = "unable to create native thread";

    @TempDir
    private Path directory;

    @Test
    void shouldGiveRanksTheirGraceWhenAnotherFails() throws Exception {
        String said = saidBy("fail");
        assertTrue(said.startsWith("exit code 7\n[1] ready\n[1] graceful\n"), said);
        assertTrue(said.matches("(?s).*\ntributary: rank 0 \\(node 0, pid \\d+\\) exited with code 7\n.*"), said);
    }

    @Test
    void shouldEndWellWhenAllRanksDo() throws Exception {
        String said = saidBy("end");
        assertTrue(said.startsWith("exit code 0\n"), said);
    }

    @Test
    void shouldGiveRanksTheirGraceWhenTimeIsUp() throws Exception {
        String said = saidBy("time");
        assertTrue(said.startsWith("exit code 124\n"), said);
        assertEquals(2, said.lines().filter(line -> line.endsWith("] graceful")).count(), said);
        assertTrue(said.contains("  the job cannot be looked at: " + NO_THREAD), said);
    }

    @Test
    void shouldGiveRanksTheirGraceWhenAReportIsAskedForAndThenTheEnd() throws Exception {
        String said = saidBy("signals");
        assertTrue(said.startsWith("exit code 143\n"), said);
        assertEquals(2, said.lines().filter(line -> line.endsWith("] graceful")).count(), said);
        assertTrue(said.contains("who waits for whom (SIGUSR1):\ntributary:   the job cannot be looked at: "
            + NO_THREAD), said);
        assertTrue(said.contains("ending the job: received SIGTERM"), said);
    }

    private String saidBy(String job) throws Exception {
        Path said = directory.resolve("said");
        Process child = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Djava.util.concurrent.ForkJoinPool.common.threadFactory=" + NoWorkers.class.getName(),
            "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"), Child.class.getName(),
            job, directory.toString()).redirectErrorStream(true).redirectOutput(said.toFile()).start();
        try {
            assertTrue(child.waitFor(CHILD_S, TimeUnit.SECONDS), () -> "the child has not ended: " + read(said));
            return read(said);
        } finally {
            child.descendants().forEach(ProcessHandle::destroyForcibly);
            child.destroyForcibly();
        }
    }

    private static String read(Path said) {
        try {
            return Files.readString(said, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Of the common pool, which gets no threads. */
    public static final class NoWorkers implements ForkJoinPool.ForkJoinWorkerThreadFactory {
        @Override
        public ForkJoinWorkerThread newThread(ForkJoinPool pool) {
            throw new OutOfMemoryError(NO_THREAD);
        }
    }

    /** Runs one job, and tells what becomes of it. */
    static final class Child {
        private static final String GRACEFUL = "trap 'echo graceful; exit 3' TERM; echo ready; ";
        private static final String FOR_EVER = "while :; do sleep 0.05; done";

        private Child() {
        }

        public static void main(String[] arguments) throws Exception {
            Path up = Path.of(arguments[1]).resolve("up");
            JobHarness job = switch (arguments[0]) {
                case "fail" -> withoutThreads("if [ $TRIBUTARY_RANK = 0 ]; then until [ -e " + up
                    + " ]; do sleep 0.05; done; exit 7; fi; " + GRACEFUL + "touch " + up + "; " + FOR_EVER);
                case "end" -> withoutThreads("sleep 0.2");
                default -> withoutThreads(GRACEFUL + FOR_EVER);
            };
            int code = switch (arguments[0]) {
                case "signals" -> runWithSignals(job);
                case "time" -> job.timeoutMs(3_000).run();
                default -> job.run();
            };
            for (long seconds = 6; arguments[0].equals("time") && !areReady(job); seconds *= 2) { // more time to start
                job = withoutThreads(GRACEFUL + FOR_EVER).timeoutMs(seconds * 1_000);
                code = job.run();
            }
            System.out.print("exit code " + code + "\n" + job.output() + job.errors());
            System.exit(0);
        }

        private static JobHarness withoutThreads(String rankScript) {
            return new JobHarness(rankScript).topology(1, 2).lenient().threads(work -> {
                throw new OutOfMemoryError(NO_THREAD);
            });
        }

        private static boolean areReady(JobHarness job) {
            return job.output().lines().filter(line -> line.endsWith("] ready")).count() == 2;
        }

        private static int runWithSignals(JobHarness job) throws Exception {
            CompletableFuture<Void> sender = JobHarness.meanwhile(() -> {
                JobHarness.await(() -> areReady(job));
                job.signal(ExitCodes.SIGUSR1);
                JobHarness.await(() -> job.errors().contains("who waits for whom"));
                job.signal(ExitCodes.SIGTERM);
            });
            int code = job.run();
            sender.join();
            return code;
        }
    }
}

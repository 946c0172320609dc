package org.tributary.client.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.error.JobAbortedException;
import org.tributary.config.FailurePolicy;
import org.tributary.config.JvmOptions;

class JobFailureTest {
    private static final long CHILD_S = 200;

    @Test
    void shouldThrowFirstReasonWhenPolicyThrows() {
        JobFailure failure = new JobFailure(FailurePolicy.THROW, 0, false);
        failure.check();
        failure.fail("node 1 is gone");
        failure.fail("node 2 is gone");
        assertEquals("node 1 is gone", assertThrows(JobAbortedException.class, failure::check).getMessage());
    }

    /** One thread ends the process and is slow to say why; another one calls the runtime meanwhile. */
    @ParameterizedTest
    @ValueSource(strings = {"check", "fail", "noticed", "certain", "end", "reason"})
    void shouldSayReasonOnceWhenProcessEnds(String call) throws Exception {
        endsOnce(Ending.class, call);
    }

    /** One thread is still removing files when another one ends the process. */
    @Test
    void shouldEndOnlyWhenWhatItsEndWaitsForIsDone(@TempDir Path folder) throws Exception {
        Path done = folder.resolve("done");
        endsOnce(Holding.class, done.toString());
        assertTrue(Files.exists(done), "it ended too early");
    }

    /** Runs a rank that ends as its job has failed, and says so once. */
    private static void endsOnce(Class<?> rank, String argument) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JvmOptions.required());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), rank.getName(), argument));
        Process child = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(child.waitFor(CHILD_S, TimeUnit.SECONDS), "the child has not ended");
            assertEquals("tributary: rank 3 ends: node 1 is gone", said.strip());
            assertEquals(JobFailure.EXIT_CODE, child.exitValue());
        } finally {
            child.destroyForcibly();
        }
    }

    /** A rank that makes a file, slowly, while it ends. */
    static final class Holding {
        private Holding() {
        }

        public static void main(String[] arguments) throws InterruptedException {
            JobFailure failure = new JobFailure(FailurePolicy.EXIT, 3, false);
            CountDownLatch begun = new CountDownLatch(1);
            Thread.ofPlatform().daemon().start(() -> failure.holdEnd(() -> {
                begun.countDown();
                LockSupport.parkNanos(Ending.SLOW_NS);
                try {
                    Files.createFile(Path.of(arguments[0]));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }));
            begun.await();
            failure.fail("node 1 is gone");
        }
    }

    /** A rank whose standard error takes its time. */
    static final class Ending {
        private static final long SLOW_NS = TimeUnit.MILLISECONDS.toNanos(500);

        private Ending() {
        }

        public static void main(String[] arguments) {
            PrintStream prompt = System.err;
            System.setErr(new PrintStream(prompt, true, StandardCharsets.UTF_8) {
                @Override
                public void println(String line) {
                    if (line.startsWith("tributary: ")) {
                        LockSupport.parkNanos(SLOW_NS);
                    }
                    prompt.println(line);
                }
            });
            JobFailure failure = new JobFailure(FailurePolicy.EXIT, 3, false);
            Thread.ofPlatform().daemon().start(() -> failure.fail("node 1 is gone"));
            while (!failure.hasFailed()) {
                Thread.onSpinWait();
            }
            switch (arguments[0]) {
                case "fail" -> failure.fail("node 2 is gone");
                case "noticed" -> failure.noticed("node 2 is gone");
                case "certain" -> failure.reportCertain("node 2 is gone");
                case "end" -> failure.end("node 2 is gone");
                case "reason" -> failure.awaitReason();
                default -> failure.check();
            }
            throw new IllegalStateException("the process goes on after a failure");
        }
    }
}

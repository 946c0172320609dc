package org.tributary.launcher.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LastResortTest {
    private static final long CHILD_S = 60;

    @Test
    void shouldEndTheProcessWithAMessageWhenAThreadOfItDies() throws Exception {
        Process child = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
            System.getProperty("java.class.path"), Child.class.getName()).redirectErrorStream(true).start();
        try {
            String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(child.waitFor(CHILD_S, TimeUnit.SECONDS), "the child has not ended");
            assertEquals("a test: relied upon died of java.lang.OutOfMemoryError: for a test", said.strip());
            assertEquals(ExitCodes.FAILURE, child.exitValue());
        } finally {
            child.destroyForcibly();
        }
    }

    /** Its main thread waits for another one for ever. */
    static final class Child {
        private Child() {
        }

        public static void main(String[] arguments) throws InterruptedException {
            LastResort.install("a test");
            Thread.ofPlatform().daemon().name("relied upon").start(() -> {
                throw new OutOfMemoryError("for a test");
            });
            new CountDownLatch(1).await();
        }
    }
}

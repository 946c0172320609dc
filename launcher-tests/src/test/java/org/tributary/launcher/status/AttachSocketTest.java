package org.tributary.launcher.status;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.wire.status.ProcessState;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AttachSocketTest {
    @TempDir
    private Path folder;

    private static Process java() throws Exception {
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-m", "jdk.httpserver", "--port", "0").redirectErrorStream(true).start();
        assertTrue(process.getInputStream().read() > 0);
        return process;
    }

    @Test
    void shouldRemoveTheSocketOfAJvmThatWasAskedForItsStackOnlyWhenItIsDead() throws Exception {
        Process process = java();
        Path socket = Path.of("/tmp/.java_pid" + process.pid());
        try {
            while (!Files.exists(socket)) { // a busy machine may be late
                new Stacks(TimeUnit.SECONDS.toNanos(20)).of(process.pid(), ProcessState.RUNS);
            }
            AttachSocket.removeOf(process.pid());
            assertTrue(Files.exists(socket));
            process.destroyForcibly().waitFor();
            assertTrue(Files.exists(socket), "a JVM that is killed removes it");
        } finally {
            process.destroyForcibly().waitFor();
            AttachSocket.removeOf(process.pid());
        }
        assertFalse(Files.exists(socket));
    }

    @Test
    void shouldRemoveASocketAndNothingElseWhenThereIsNoProcessOfThatNumber() throws Exception {
        Process ended = new ProcessBuilder("true").start();
        ended.waitFor();
        Path file = folder.resolve(".java_pid" + ended.pid());
        Files.createFile(file);
        AttachSocket.removeOf(ended.pid(), folder);
        assertTrue(Files.exists(file));
        Files.delete(file);
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(file));
            assertTrue(Files.exists(file));
            AttachSocket.removeOf(ended.pid(), folder);
            assertFalse(Files.exists(file));
        }
    }
}

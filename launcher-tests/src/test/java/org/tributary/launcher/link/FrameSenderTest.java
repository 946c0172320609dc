package org.tributary.launcher.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.channels.Channels;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FrameSenderTest {
    /** More than a pipe holds. */
    private static final Frame LARGE = new Frame((byte) 1, 0, new byte[1 << 20]);

    /** A host that is silent leaves its ssh with a full pipe, in which the agent's threads wait for room. */
    @Test
    void shouldLetThreadsGoOnWhenNobodyReadsAnyMore(@TempDir Path directory) throws Exception {
        Path pipe = directory.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        try (RandomAccessFile reader = new RandomAccessFile(pipe.toFile(), "rw");
             OutputStream out = Channels.newOutputStream(new FileOutputStream(pipe.toFile()).getChannel())) {
            FrameSender sender = new FrameSender(out);
            List<Thread> threads = Stream.generate(() -> Thread.ofPlatform().daemon().start(() -> sender.send(LARGE)))
                .limit(2).toList();
            assertEquals(LARGE.body().length, reader.readInt());
            for (Thread thread : threads) {
                assertFalse(thread.join(Duration.ofMillis(50)), "waits for room");
            }
            sender.giveUp();
            for (Thread thread : threads) {
                assertTrue(thread.join(Duration.ofSeconds(30)), "still waits");
            }
            sender.send(LARGE);
        }
    }
}

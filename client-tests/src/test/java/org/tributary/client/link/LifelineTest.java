package org.tributary.client.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.client.error.JobAbortedException;
import org.tributary.config.FailurePolicy;
import org.tributary.wire.BlockingConnection;
import org.tributary.wire.shm.NodeDirectory;

/** A rank hears of the end of the job, whatever befalls the thread that hears it. */
class LifelineTest {
    private final JobFailure failure = new JobFailure(FailurePolicy.THROW, 3, true);

    @TempDir
    private Path folder;

    @Test
    void shouldWakeTheRankWhenItsThreadRunsOutOfMemory() throws IOException, InterruptedException {
        AtomicInteger attempts = new AtomicInteger();
        CountDownLatch woken = new CountDownLatch(1);
        failure.onFailure(() -> {
            if (attempts.incrementAndGet() == 1) {
                throw new OutOfMemoryError("Java heap space");
            }
            woken.countDown();
        });
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("socket"));
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address);
            Lifeline lifeline = new Lifeline(BlockingConnection.connect(address, TimeUnit.SECONDS.toNanos(200)),
                failure, new NodeDirectory(folder), 3, 0)) {
            server.accept().close();
            assertTrue(woken.await(200, TimeUnit.SECONDS));
            assertThrows(JobAbortedException.class, failure::check);
            lifeline.expectEnd();
        }
    }

    @Test
    void shouldSayWhatItKnowsWhenItCannotHearWhy() {
        failure.failAtOnce("the job has failed");
        failure.fail("later");
        assertEquals("the job has failed", assertThrows(JobAbortedException.class, failure::check).getMessage());
    }
}

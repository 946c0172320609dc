package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.error.AttachException;
import org.tributary.client.testing.TestJob;
import org.tributary.config.JobEnvironment;
import org.tributary.server.CommunicationServer;
import org.tributary.testsupport.ExpectsErrors;
import org.tributary.wire.BlockingConnection;
import org.tributary.wire.Membership;
import org.tributary.wire.RankState;
import org.tributary.wire.codec.Role;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.shm.TraceLayout;

/** A rank that could not attach has not attached: nothing of it is left, and it may try again. */
class AttachFailureTest {
    private static final long DEADLINE_S = 200;
    /** Many more than the descriptors that servers of this process may open meanwhile, for channels and neighbours. */
    private static final int ATTEMPTS = 40;

    @ParameterizedTest
    @ValueSource(strings = {"1*2", "2*1", "2*1 combine node"})
    void shouldAttachLaterWhenTheInboxesCouldNotBeMapped(String layout) throws Exception {
        try (TestJob job = Jobs.start(layout)) {
            try (Gas other = job.attach(0)) {
                Path inboxes = directoryOf(job, 1).segment(0);
                Path aside = inboxes.resolveSibling("aside");
                Files.move(inboxes, aside);
                failToAttach(job, "cannot map");
                long open = openDescriptors();
                for (int i = 0; i < ATTEMPTS; i++) {
                    failToAttach(job, "cannot map");
                }
                awaitNotExpectedAsAttached(other);
                awaitDescriptors(open + ATTEMPTS - 1);
                Files.move(aside, inboxes);
                assertFalse(Thread.getAllStackTraces().keySet().stream()
                    .anyMatch(thread -> thread.getName().equals("tributary-lifeline-1") && thread.isAlive()));
                meet(job, other);
            }
            assertEndsCleanly(job);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1*2", "2*1", "2*1 combine node"})
    @ExpectsErrors("refused .*: rank 1 has attached already, as process")
    void shouldAttachLaterWhenTheLifelineWasRefused(String layout) throws Exception {
        try (TestJob job = Jobs.start(layout)) {
            try (Gas other = job.attach(0)) {
                JobEnvironment rank = job.environmentOf(1);
                try (BlockingConnection inTheWay = BlockingConnection.connect(
                    UnixDomainSocketAddress.of(directoryOf(job, 1).socket()), TimeUnit.SECONDS.toNanos(DEADLINE_S))) {
                    inTheWay.admit(Membership.of(rank, job.settings()), Role.LIFELINE, 1, rank.node(), rank.node());
                    failToAttach(job, "rank 1 has attached already");
                }
                awaitNotExpectedAsAttached(other);
                meet(job, other);
            }
            assertEndsCleanly(job);
        }
    }

    /** Its server has admitted it, and is slow to admit its lifeline. */
    @ParameterizedTest
    @ValueSource(strings = {"1*2", "2*1"})
    void shouldAttachLaterWhenItWasInterruptedBeforeItHadALifeline(String layout) throws Exception {
        try (TestJob job = Jobs.start(layout)) {
            try (Gas other = job.attach(0)) {
                Path socket = directoryOf(job, 1).socket();
                Path aside = socket.resolveSibling("aside");
                Files.move(socket, aside);
                try (ServerSocketChannel inBetween = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                    inBetween.bind(UnixDomainSocketAddress.of(socket));
                    FutureTask<Void> attempt = new FutureTask<>(() -> failToAttach(job, "interrupted"), null);
                    Thread rank = Thread.ofPlatform().daemon().start(attempt);
                    try (SocketChannel ofRank = inBetween.accept();
                        SocketChannel toServer = SocketChannel.open(UnixDomainSocketAddress.of(aside))) {
                        Thread.ofVirtual().start(() -> pass(ofRank, toServer));
                        Thread.ofVirtual().start(() -> pass(toServer, ofRank));
                        SocketChannel lifeline = inBetween.accept();
                        rank.interrupt();
                        attempt.get(DEADLINE_S, TimeUnit.SECONDS);
                        lifeline.close();
                        awaitNotExpectedAsAttached(other);
                    }
                }
                Files.move(aside, socket, StandardCopyOption.REPLACE_EXISTING);
                meet(job, other);
            }
            assertEndsCleanly(job);
        }
    }

    private static void pass(SocketChannel from, SocketChannel to) {
        ByteBuffer bytes = ByteBuffer.allocate(1 << 12);
        try {
            while (from.read(bytes) >= 0) {
                bytes.flip();
                while (bytes.hasRemaining()) {
                    to.write(bytes);
                }
                bytes.clear();
            }
            to.shutdownOutput();
        } catch (IOException e) {
            // One end has closed; so does the test the other.
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1*2", "2*1"})
    void shouldRefuseTheDirectoryOfANodeWhenOthersCanChangeIt(String layout) throws Exception {
        try (TestJob job = Jobs.start(layout)) {
            try (Gas other = job.attach(0)) {
                Path directory = directoryOf(job, 1).path();
                Set<PosixFilePermission> before = Files.getPosixFilePermissions(directory);
                Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx-w----"));
                failToAttach(job, directory + " is not of a server of this user: another user has made it, or can");
                Files.setPosixFilePermissions(directory, before);
                meet(job, other);
            }
            assertEndsCleanly(job);
        }
    }

    /** Its trace would be in the way of the next attempt. */
    @Test
    void shouldRecordWhenAnEarlierAttemptToAttachHasFailed(@TempDir Path folder) throws Exception {
        try (TestJob job = Jobs.start("1*2")) {
            try (Gas other = job.attach(0)) {
                Path inboxes = directoryOf(job, 1).segment(0);
                Path aside = inboxes.resolveSibling("aside");
                Files.move(inboxes, aside);
                JobEnvironment rank = job.environmentOf(1, folder);
                for (int i = 0; i < 2; i++) {
                    AttachException failure = assertThrows(AttachException.class,
                        () -> Gas.attach(rank, job.settings()).close());
                    assertTrue(failure.getMessage().contains("cannot map"), failure.getMessage());
                    assertFalse(Files.exists(TraceLayout.file(folder, rank.jobId(), 1)));
                }
                awaitNotExpectedAsAttached(other);
                Files.move(aside, inboxes);
                Gas.attach(rank, job.settings()).close();
                assertTrue(Files.exists(TraceLayout.file(folder, rank.jobId(), 1)));
            }
            assertEndsCleanly(job);
        }
    }

    private static NodeDirectory directoryOf(TestJob job, int rank) {
        JobEnvironment environment = job.environmentOf(rank);
        return NodeDirectory.of(job.settings().shmDirectory(), environment.jobId(), environment.node());
    }

    private static void failToAttach(TestJob job, String why) {
        AttachException failure = assertThrows(AttachException.class, () -> job.attach(1).close());
        assertTrue(failure.getMessage().startsWith("rank 1 cannot attach to job "), failure.getMessage());
        assertTrue(failure.getMessage().contains(why), failure.getMessage());
    }

    /** The server hears of it on another connection than this asks on. */
    private static void awaitNotExpectedAsAttached(Gas other) {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        while (other.access().stateOf(1) != RankState.EXPECTED) {
            assertTrue(System.nanoTime() < deadlineNs, "rank 1 is still " + other.access().stateOf(1));
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static long openDescriptors() throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.count();
        }
    }

    /** The server lives in this process, too, and closes what it has a moment later. */
    private static void awaitDescriptors(long most) throws IOException {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        while (openDescriptors() > most) {
            assertTrue(System.nanoTime() < deadlineNs, "from " + most + " to " + openDescriptors() + " descriptors");
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static void meet(TestJob job, Gas other) throws Exception {
        CompletableFuture<Long> met = CompletableFuture.supplyAsync(() -> {
            try (Gas late = job.attach(1)) {
                GlobalMemory memory = late.allocate(64);
                memory.putLong(0, 8, 3);
                late.barrier();
                return memory.getLong(1, 16);
            }
        });
        GlobalMemory memory = other.allocate(64);
        memory.putLong(1, 16, 4);
        other.barrier();
        assertEquals(3, memory.getLong(0, 8));
        assertEquals(4, met.get(DEADLINE_S, TimeUnit.SECONDS));
    }

    private static void assertEndsCleanly(TestJob job) throws Exception {
        CommunicationServer server = job.server(0);
        CompletableFuture<CommunicationServer.Termination> end = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                end.complete(server.awaitTermination());
            } catch (InterruptedException e) {
                end.completeExceptionally(e);
            }
        });
        assertTrue(end.get(DEADLINE_S, TimeUnit.SECONDS).clean());
    }
}

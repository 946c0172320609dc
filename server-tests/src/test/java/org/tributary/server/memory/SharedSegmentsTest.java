package org.tributary.server.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.config.Topology;
import org.tributary.server.observe.GuardedTasks;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.shm.SegmentKind;
import org.tributary.wire.shm.SegmentLayout;
import org.tributary.wire.shm.SharedFile;

/** Segments that come and go while several event loops use them. */
@Timeout(300)
class SharedSegmentsTest {
    private static final int LOOPS = 3;
    private static final long ID = 7;
    private static final int BYTES = 4096;
    /** So many at least, and then more until so much time has passed. */
    private static final int FEWEST_ROUNDS = 10;
    private static final int MOST_ROUNDS = 300;
    private static final long ENOUGH_NS = TimeUnit.SECONDS.toNanos(3);
    /** Others have the processors meanwhile. */
    private static final long PAUSE_NS = 20_000;
    /** Longer than it takes to remove a segment, so that this often happens between the look-up and the use. */
    private static final long USE_NS = 300_000;

    private final List<GuardedTasks> loops = new ArrayList<>();
    private final Queue<Throwable> faults = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final AtomicLong used = new AtomicLong();
    private EventLoopGroup group;
    private SegmentRegistry registry;
    private SegmentWorker worker;

    @TempDir
    private Path directory;

    @BeforeEach
    void start() {
        group = new MultiThreadIoEventLoopGroup(LOOPS, EpollIoHandler.newFactory());
        for (int loop = 0; loop < LOOPS; loop++) {
            loops.add(new GuardedTasks(group.next(), faults::add));
        }
        registry = new SegmentRegistry(new NodeDirectory(directory), Topology.of(1), 0, LOOPS);
        registry.usedBy(loops);
        worker = new SegmentWorker(0, loops.getFirst(), SharedFile::create, faults::add);
        registry.workWith(worker);
    }

    @AfterEach
    void stop() throws InterruptedException {
        isOver.set(true);
        worker.close();
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).await();
        registry.close();
        assertEquals(List.of(), List.copyOf(faults));
    }

    private void create() throws IOException {
        CompletableFuture<IOException> done = new CompletableFuture<>();
        loops.getFirst().execute(() -> {
            try {
                registry.create(ID, SegmentKind.DATA, new SegmentLayout(new int[] {0}, new long[] {BYTES}),
                    done::complete);
            } catch (IOException e) {
                done.complete(e);
            }
        });
        throwIfAny(done);
    }

    private void remove() throws IOException {
        CompletableFuture<IOException> done = new CompletableFuture<>();
        loops.getFirst().execute(() -> registry.remove(ID, done::complete));
        throwIfAny(done);
    }

    private static void throwIfAny(CompletableFuture<IOException> done) throws IOException {
        IOException problem = done.join();
        if (problem != null) {
            throw problem;
        }
    }

    /**
     * As connections of a loop use segments: found and used in one turn, or pinned until a later one. In two of three
     * turns nothing is pinned while what was found is used, so that only {@link LoopPass} keeps it mapped.
     */
    private final class User implements Runnable {
        private final int loop;
        private final RequestChecker checker = new RequestChecker(registry);
        private NodeSegment pinned;
        private int turn;

        User(int loop) {
            this.loop = loop;
        }

        @Override
        public void run() {
            if (pinned != null) {
                touch(pinned);
                pinned.unpin(loop);
                pinned = null;
            }
            if (checker.range(ID, 0, 0, BYTES)) {
                if (++turn % 3 == 0) {
                    pinned = checker.segment();
                    pinned.pin(loop);
                } else {
                    spend();
                }
                touch(checker.segment());
            }
            if (!isOver.get()) {
                loops.get(loop).after(PAUSE_NS, this);
            } else if (pinned != null) {
                pinned.unpin(loop);
            }
        }

        private static void spend() {
            long beganNs = System.nanoTime();
            while (System.nanoTime() - beganNs < USE_NS) {
                Thread.onSpinWait();
            }
        }

        private void touch(NodeSegment segment) {
            MemorySegment part = segment.part(0);
            part.set(ValueLayout.JAVA_LONG, 8L * loop, part.get(ValueLayout.JAVA_LONG, 8L * loop) + 1);
            used.incrementAndGet();
        }
    }

    @Test
    void shouldUnmapNothingThatALoopUsesWhenSegmentsAreFreed() throws IOException, InterruptedException {
        for (int loop = 0; loop < LOOPS; loop++) {
            loops.get(loop).execute(new User(loop));
        }
        long beganNs = System.nanoTime();
        for (int round = 0; round < FEWEST_ROUNDS
            || round < MOST_ROUNDS && System.nanoTime() - beganNs < ENOUGH_NS; round++) {
            create();
            long before = used.get();
            while (used.get() < before + LOOPS) {
                Thread.yield();
            }
            remove();
        }
        while (isMapped()) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private boolean isMapped() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/maps")).stream()
            .anyMatch(line -> line.contains(directory.toString()));
    }
}

package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tributary.config.Topology;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.TestServers;
import org.tributary.testsupport.OneAndSeveralThreads;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.ErrorCode;

/** Mutexes over connections, of ranks of the node and of others. */
@OneAndSeveralThreads
class MutexTest {
    private static final long MUTEXES = 6;
    private static final long WORD = 64;
    private static final String WAITING = "tributary_mutex_waiting";
    private static final String CLOSED = "tributary_connections_closed_total";

    private TestServers job;
    private RawClient rank0;
    private RawClient rank1;
    private RawClient rank2;
    private RawClient rank3;

    @BeforeEach
    void start() throws IOException {
        job = TestServers.start(Topology.of(2, 2), "job.grace=0");
        rank0 = job.rank(0);
        rank1 = job.rank(1);
        rank2 = job.remote(2, 0);
        rank3 = job.remote(3, 0);
        rank0.done(Requests.allocate(1, MUTEXES, 1, 0, 128, 0));
    }

    @AfterEach
    void stop() {
        job.close();
    }

    private static void granted(RawClient client) throws IOException {
        assertEquals(1, client.receive().value().value());
    }

    private void wait(RawClient client, int waiting) throws IOException {
        client.send(Requests.lock(7, MUTEXES, 0, WORD, false));
        job.awaitMetric(0, WAITING, waiting);
    }

    private static void unlock(RawClient client) throws IOException {
        client.fenced(Requests.unlock(MUTEXES, 0, WORD, 0));
    }

    @Test
    void shouldGrantInOrderWhenSeveralWait() throws IOException {
        assertEquals(1, rank0.ask(Requests.lock(7, MUTEXES, 0, WORD, false)).value().value());
        wait(rank3, 1);
        wait(rank1, 2);
        wait(rank2, 3);
        assertEquals(1, rank0.ask(Requests.lock(8, MUTEXES, 0, 0, true)).value().value(), "another mutex");
        unlock(rank0);
        granted(rank3);
        assertEquals(0, rank0.ask(Requests.lock(8, MUTEXES, 0, WORD, true)).value().value());
        unlock(rank3);
        granted(rank1);
        unlock(rank1);
        granted(rank2);
        unlock(rank2);
        assertEquals(1, rank0.ask(Requests.lock(8, MUTEXES, 0, WORD, true)).value().value());
    }

    @Test
    void shouldAnswerAtOnceWhenLockIsOnlyTried() throws IOException {
        assertEquals(1, rank2.ask(Requests.lock(7, MUTEXES, 0, WORD, true)).value().value());
        assertEquals(0, rank3.ask(Requests.lock(7, MUTEXES, 0, WORD, true)).value().value());
        assertEquals(ErrorCode.NOT_HELD, rank3.ask(Requests.unlock(MUTEXES, 0, WORD, 0)).error().code());
        assertEquals(ErrorCode.ALREADY_HELD,
            rank2.ask(Requests.lock(7, MUTEXES, 0, WORD, true)).error().code());
    }

    @Test
    void shouldPassOnWhenHolderSaysGoodbye() throws IOException {
        rank2.ask(Requests.lock(7, MUTEXES, 0, WORD, false));
        wait(rank3, 1);
        rank2.send(Requests.goodbye(2));
        granted(rank3);
    }

    /** It could not keep it, for lack of memory perhaps, and goes on with the connections that it has. */
    @Test
    void shouldKeepTheMutexWhenTheHolderGivesUpAConnectionOnly() throws IOException {
        rank2.ask(Requests.lock(7, MUTEXES, 0, WORD, false));
        double closed = job.metric(0, CLOSED, "");
        try (RawClient other = job.remote(2, 0)) {
            other.send(Requests.goodbye(Frames.NO_RANK));
        }
        job.awaitMetric(0, CLOSED, closed + 1);
        unlock(rank2);
    }

    @Test
    void shouldPassOnWhenHoldersConnectionBreaks() throws IOException {
        rank2.ask(Requests.lock(7, MUTEXES, 0, WORD, false));
        wait(rank3, 1);
        rank2.close();
        granted(rank3);
    }

    @Test
    void shouldPassOnWhenLocalHoldersConnectionBreaks() throws IOException {
        rank1.ask(Requests.lock(7, MUTEXES, 0, WORD, false));
        wait(rank3, 1);
        rank1.close();
        granted(rank3);
    }

    @Test
    void shouldSkipWhenWaiterIsGone() throws IOException {
        rank0.ask(Requests.lock(7, MUTEXES, 0, WORD, false));
        wait(rank2, 1);
        wait(rank3, 2);
        rank2.close();
        job.awaitMetric(0, WAITING, 1);
        unlock(rank0);
        granted(rank3);
    }

    @Test
    void shouldTellThoseThatWaitWhenTheMutexIsFreed() throws IOException {
        rank0.ask(Requests.lock(7, MUTEXES, 0, WORD, false));
        wait(rank2, 1);
        wait(rank3, 2);
        rank0.done(Requests.free(9, MUTEXES));
        assertEquals(ErrorCode.SEGMENT_UNKNOWN, rank2.receive().error().code());
        assertEquals(ErrorCode.SEGMENT_UNKNOWN, rank3.receive().error().code());
        job.awaitMetric(0, WAITING, 0);
        rank2.close();
        rank3.fenced();
    }
}

package org.tributary.server.connection;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import java.lang.foreign.MemorySegment;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.tributary.fabric.RegionKey;
import org.tributary.server.StressLoop;
import org.tributary.server.io.HandedReplies;
import org.tributary.server.io.Replies;
import org.tributary.server.io.ServerIo;
import org.tributary.server.io.SpinThenBlock;
import org.tributary.server.observe.RequestCounts;
import org.tributary.server.observe.ServerMetrics;
import org.tributary.wire.codec.ErrorCode;

/**
 * Work of a connection that goes to the main event loop and comes back: what one of both writes in plain fields the
 * other reads, and answers come once, and before the connection goes on.
 */
public class HandOverStress {
    private static final RequestCounts COUNTS = new ServerMetrics(0).ofLoop(1);
    private static final int FIRST = 1;
    private static final int SECOND = 2;
    private static final int GRANT = 3;
    private static final int GONE_ON = 9;

    /** Answers as decimal digits, the first one first. */
    private static final class Digits implements Replies {
        private int digits;

        void add(int digit) {
            digits = 10 * digits + digit;
        }

        @Override
        public void value(long requestId, long result) {
            add((int) result);
        }

        @Override
        public void done(long requestId) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void copy(long requestId, MemorySegment source, long offset, int length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void error(long requestId, ErrorCode code, int rank, long segmentId, long offset, long length,
            long bound, String detail) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void region(long requestId, RegionKey key, long partOffset, String provider, byte[] address) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void flush() {
            // what is written is read by the connection's loop, or after all
        }
    }

    /** A connection of another loop than the main one. */
    abstract static class Connection {
        final StressLoop main = new StressLoop();
        final StressLoop own = new StressLoop();
        final Digits written = new Digits();
        private int back;
        private final ServerIo ownIo = io(own);
        final HandedReplies replies = new HandedReplies(written, own.tasks(), ownIo.waiting());
        final HandOver handOver = new HandOver(io(main), ownIo, replies, (isDone, failure) -> {
            written.add(GONE_ON);
            back++;
        });
        final UnsafeBuffer request = new UnsafeBuffer(new byte[Integer.BYTES]);
        /** Belongs to whichever loop has the connection's work. */
        int state;
        volatile boolean isOver;

        private static ServerIo io(StressLoop loop) {
            return new ServerIo(loop.tasks(), new SpinThenBlock(0, () -> 0, () -> 0, () -> false), COUNTS, null, null,
                null, null, null, null, null);
        }

        /** Own loop: a request, which the next read overwrites, that has the main loop change and answer. */
        final void handOver(int answer) {
            request.putInt(0, answer);
            handOver.execute((buffer, at, template, blockLength, version, extra) -> {
                state = 10 * state + buffer.getInt(at);
                replies.value(0, buffer.getInt(at));
            }, request, 0, 0, Integer.BYTES, 0, 0);
            request.putInt(0, 0);
        }

        /** Own loop: until so much work has come back. */
        final void awaitBack(int count) {
            own.turnUntil(() -> back == count);
        }

        /** The main loop: what comes, until the connection needs it no more. */
        final void serve() {
            main.turnUntil(() -> isOver);
            main.turn();
        }
    }

    /** Two requests, one after the other. */
    @JCStressTest
    @Outcome(id = "12, 1929", expect = ACCEPTABLE, desc = "each answered before the connection goes on")
    @State
    public static class OneAfterTheOther extends Connection {
        /** The connection's loop. */
        @Actor
        public void own(II_Result result) {
            handOver(FIRST);
            awaitBack(1);
            handOver(SECOND);
            awaitBack(2);
            result.r1 = handOver.isPending() ? -1 : state;
            result.r2 = written.digits;
            isOver = true;
        }

        /** The main loop. */
        @Actor
        public void main() {
            serve();
        }
    }

    /** While a request is handed over, the main loop grants what this connection has waited for. */
    @JCStressTest
    @Outcome(id = "1, 193", expect = ACCEPTABLE, desc = "after the work")
    @Outcome(id = "1, 319", expect = ACCEPTABLE, desc = "before the work, or before it came back")
    @State
    public static class GrantBeside extends Connection {
        /** The connection's loop. */
        @Actor
        public void own(II_Result result) {
            handOver(FIRST);
            awaitBack(1);
            result.r1 = state;
            isOver = true;
        }

        /** The main loop, for another connection, and then for this one. */
        @Actor
        public void main() {
            main.turn();
            replies.value(0, GRANT);
            replies.flush();
            serve();
        }

        /** What is still to be written. */
        @Arbiter
        public void after(II_Result result) {
            own.turn();
            result.r2 = written.digits;
        }
    }

    /** The work goes on elsewhere, and comes back when that is done; meanwhile there is a grant. */
    @JCStressTest
    @Outcome(id = "12, 129", expect = ACCEPTABLE, desc = "back at the end, and then only")
    @State
    public static class WorkThatGoesOn extends Connection {
        /** The connection's loop. */
        @Actor
        public void own(II_Result result) {
            handOver.execute((buffer, at, template, blockLength, version, extra) -> {
                handOver.beginWork();
                state = FIRST;
                replies.value(0, FIRST);
                main.execute(this::end);
            }, request, 0, 0, Integer.BYTES, 0, 0);
            awaitBack(1);
            result.r1 = state;
            result.r2 = written.digits;
            isOver = true;
        }

        private void end() {
            handOver.endWork(() -> {
                state = 10 * state + SECOND;
                replies.value(0, SECOND);
            });
        }

        /** The main loop. */
        @Actor
        public void main() {
            serve();
        }
    }

    /** The connection ends while its last request is on its way: the main loop hears of the end after it. */
    @JCStressTest
    @Outcome(id = "1, 19", expect = ACCEPTABLE, desc = "executed before the end is told")
    @State
    public static class End extends Connection {
        private int stateAtEnd;

        /** The connection's loop. */
        @Actor
        public void own() {
            handOver(FIRST);
            own.turn();
            main.tasks().run(() -> stateAtEnd = state);
            isOver = true;
        }

        /** The main loop. */
        @Actor
        public void main() {
            serve();
        }

        /** What the main loop saw, and what came back. */
        @Arbiter
        public void after(II_Result result) {
            own.turn();
            result.r1 = stateAtEnd;
            result.r2 = written.digits;
        }
    }

    /** A request fails: its answer is not sent, and the connection hears of the failure in its turn. */
    @JCStressTest
    @Outcome(id = "1, 9", expect = ACCEPTABLE, desc = "no answer")
    @State
    public static class Failure extends Connection {
        /** The connection's loop. */
        @Actor
        public void own(II_Result result) {
            handOver.execute((buffer, at, template, blockLength, version, extra) -> {
                state = FIRST;
                replies.value(0, FIRST);
                throw new IllegalStateException("memory is damaged");
            }, request, 0, 0, Integer.BYTES, 0, 0);
            awaitBack(1);
            result.r1 = state;
            result.r2 = written.digits;
            isOver = true;
        }

        /** The main loop. */
        @Actor
        public void main() {
            serve();
        }
    }
}

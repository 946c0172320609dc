package org.tributary.server.connection;

import java.util.List;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.server.execute.StateWork;
import org.tributary.server.io.HandedReplies;
import org.tributary.server.io.Replies;
import org.tributary.server.io.ServerIo;
import org.tributary.server.io.SpinThenBlock;
import org.tributary.server.observe.GuardedTasks;
import org.tributary.server.observe.RequestCounts;
import org.tributary.wire.shm.MemoryFaults;

/**
 * The work of a connection that is not of the main event loop: goes to that loop and comes back, and meanwhile the
 * connection executes nothing. The tasks' queues order what each side writes before what the other reads, so what
 * belongs to the connection's requests has one owner at a time. Whatever the main loop is asked to do for a connection,
 * it does in the order in which it was asked.
 */
final class HandOver implements StateWork, ControlRequests.Pause {
    /** The connection. */
    interface Owner {
        /**
         * The work has come back. On the connection's loop.
         *
         * @param isDone  whether it has not to be done again
         * @param failure what the main loop met, or null
         */
        void handedBack(boolean isDone, Throwable failure);
    }

    private static final int FIRST_COPY_BYTES = 256;

    private final Owner owner;
    private final HandedReplies replies;
    private final RequestCounts counts;
    /** Of the main loop. */
    private final SpinThenBlock waiting;
    private final SpinThenBlock ownWaiting;
    private final GuardedTasks.Task go;
    private final GuardedTasks.Task back;
    private final Step requestStep = this::executeRequest;
    private final UnsafeBuffer copy = new UnsafeBuffer(0, 0);
    private Request request;
    private int template;
    private int blockLength;
    private int version;
    private int extra;
    /** Of the connection's loop. */
    private boolean isPending;
    private Step step;
    private boolean isDone;
    private Throwable failure;
    private List<Consumer<Replies>> answers = List.of();
    /** Of the main loop: a step goes on elsewhere when it has returned. */
    private boolean isPaused;
    private boolean isInStep;

    HandOver(ServerIo main, ServerIo own, HandedReplies replies, Owner owner) {
        this.owner = owner;
        this.replies = replies;
        this.counts = main.counts();
        this.waiting = main.waiting();
        this.ownWaiting = own.waiting();
        this.go = main.tasks().task(this::onMain);
        this.back = own.tasks().task(this::onOwn);
    }

    /** Whether work has been handed over and has not come back. On the connection's loop. */
    boolean isPending() {
        return isPending;
    }

    @Override
    public boolean execute(Step work) {
        isPending = true;
        step = work;
        go.soonIfEver();
        return true;
    }

    @Override
    public void execute(Request what, UnsafeBuffer buffer, int at, int messageTemplate, int itsBlockLength,
        int itsVersion, int itsExtra) {
        // A copy: the next read of any connection of the loop overwrites what was read.
        int length = itsBlockLength + itsExtra;
        if (copy.capacity() < length) {
            copy.wrap(new byte[Math.max(length, FIRST_COPY_BYTES)]);
        }
        copy.putBytes(0, buffer, at, length);
        request = what;
        template = messageTemplate;
        blockLength = itsBlockLength;
        version = itsVersion;
        extra = itsExtra;
        execute(requestStep);
    }

    private boolean executeRequest() {
        request.execute(copy, 0, template, blockLength, version, extra);
        return true;
    }

    private void onMain() {
        waiting.traffic(); // the next is likely to come soon, as from a socket
        isInStep = true;
        replies.hold();
        try {
            isDone = step.run();
            MemoryFaults.surface();
        } catch (RuntimeException | Error e) {
            failure = e;
            isPaused = false;
            replies.drop(); // they may be made of what the fault has left
        } finally {
            isInStep = false;
        }
        if (isPaused) {
            replies.release();
        } else {
            handBack();
        }
    }

    private void handBack() {
        answers = replies.take();
        back.soonIfEver();
    }

    private void onOwn() {
        ownWaiting.traffic(); // the rank gets its answer, and is likely to ask for more
        isPending = false;
        Throwable met = failure;
        failure = null;
        List<Consumer<Replies>> taken = answers;
        answers = List.of();
        replies.write(taken);
        owner.handedBack(isDone, met);
    }

    @Override
    public void beginWork() {
        isPaused = true;
    }

    @Override
    public void endWork(Runnable answer) {
        isPaused = false;
        answer.run();
        if (!isInStep) {
            handBack();
        }
    }

    @Override
    public Replies replies() {
        return replies;
    }

    @Override
    public RequestCounts counts() {
        return counts;
    }
}

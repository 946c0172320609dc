package org.tributary.launcher.inquiry;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.tributary.config.Shortage;
import org.tributary.launcher.link.Answer;
import org.tributary.launcher.link.Command;
import org.tributary.launcher.link.Question;

/**
 * Answers what an agent is asked, on few threads, however much it is asked at once: after a host has stood still, all
 * questions of that time come together. Questions beyond that are answered by saying so. Thread-safe.
 */
public final class Answering {
    static final int MOST_THREADS = 2;
    static final int MOST_WAITING = 16;
    private static final long IDLE_S = 10;
    private static final long END_S = 2;

    private final Function<Command.Inquire, Answer> witness;
    private final Consumer<Answer> answers;
    /** Of files, which is quick. */
    private final ThreadPoolExecutor readers = threads("inquiry");
    /** Of stacks, which others must not wait for. */
    private final ThreadPoolExecutor stacks = threads("stacks");
    /** A page that is late has no use for more than one. */
    private final AtomicBoolean takesSnapshot = new AtomicBoolean();

    /** {@code answers} takes what {@code witness} says, or that it cannot be asked. */
    public Answering(Function<Command.Inquire, Answer> witness, Consumer<Answer> answers) {
        this.witness = witness;
        this.answers = answers;
    }

    private static ThreadPoolExecutor threads(String name) {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(MOST_THREADS, MOST_THREADS, IDLE_S, TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MOST_WAITING), Thread.ofPlatform().daemon().name(name).factory());
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /** Does not wait for the answer. */
    public void answer(Command.Inquire inquire) {
        boolean isSnapshot = inquire.question() == Question.SNAPSHOT;
        if (isSnapshot && !takesSnapshot.compareAndSet(false, true)) {
            answers.accept(NodeWitness.unknown(inquire, "still answers an earlier question"));
            return;
        }
        try {
            (inquire.question() == Question.STACKS ? stacks : readers).execute(() -> answerNow(inquire));
        } catch (RejectedExecutionException e) {
            refuse(inquire, "is asked too much at once: " + MOST_WAITING + " questions wait");
        } catch (OutOfMemoryError e) {
            refuse(inquire, "no thread to answer: " + Shortage.describe(e));
        }
    }

    /** Answers no more; programs that take stacks end. */
    void close() {
        readers.shutdownNow();
        stacks.shutdownNow();
        try {
            boolean unused = stacks.awaitTermination(END_S, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void refuse(Command.Inquire inquire, String why) {
        ended(inquire);
        answers.accept(NodeWitness.unknown(inquire, why));
    }

    private void ended(Command.Inquire inquire) {
        if (inquire.question() == Question.SNAPSHOT) {
            takesSnapshot.set(false);
        }
    }

    private void answerNow(Command.Inquire inquire) {
        Answer answer;
        try {
            answer = witness.apply(inquire);
        } catch (RuntimeException | Error e) { // the question would stay without an answer
            answer = NodeWitness.unknown(inquire, Shortage.describe(e));
        }
        ended(inquire);
        answers.accept(answer);
    }
}

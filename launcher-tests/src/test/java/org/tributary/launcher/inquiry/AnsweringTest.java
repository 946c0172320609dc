package org.tributary.launcher.inquiry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tributary.launcher.link.Answer;
import org.tributary.launcher.link.Command;
import org.tributary.launcher.link.Question;

/** An agent that is asked more than it can answer. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AnsweringTest {
    private static final int MANY = 200;

    private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final CountDownLatch nodeAnswers = new CountDownLatch(1);
    private final Answering answering = new Answering(this::witness, answers::add);

    private Answer witness(Command.Inquire inquire) {
        threads.add(Thread.currentThread());
        try {
            nodeAnswers.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        if (inquire.text().equals("damage")) {
            throw new IllegalStateException("no such node");
        }
        return new Answer(inquire.number(), true, "fine");
    }

    private int known(int count) throws InterruptedException {
        int known = 0;
        for (int i = 0; i < count; i++) {
            known += answers.take().isKnown() ? 1 : 0;
        }
        return known;
    }

    @Test
    void shouldTakeOneSnapshotWhenAllQuestionsOfAMinuteComeTogether() throws Exception {
        for (int i = 0; i < MANY; i++) {
            answering.answer(new Command.Inquire("job", i, Question.SNAPSHOT, ""));
        }
        nodeAnswers.countDown();
        assertEquals(1, known(MANY));
        answering.answer(new Command.Inquire("job", MANY, Question.SNAPSHOT, ""));
        assertTrue(answers.take().isKnown(), "one is answered again");
    }

    @Test
    void shouldUseFewThreadsWhenItIsAskedManyThings() throws Exception {
        for (int i = 0; i < MANY; i++) {
            answering.answer(new Command.Inquire("job", i, i % 2 == 0 ? Question.STACKS : Question.STATUS, ""));
        }
        nodeAnswers.countDown();
        int known = known(MANY);
        assertTrue(known >= 2 * Answering.MOST_THREADS && known <= 2 * (Answering.MOST_THREADS
            + Answering.MOST_WAITING), known + " answers");
        assertTrue(threads.size() <= 2 * Answering.MOST_THREADS, threads.size() + " threads");
    }

    @Test
    void shouldEndWhatItDoesWhenClosed() throws Exception {
        answering.answer(new Command.Inquire("job", 1, Question.STACKS, ""));
        while (threads.isEmpty()) {
            Thread.onSpinWait();
        }
        answering.close();
        assertFalse(answers.take().isKnown(), "it was interrupted");
        answering.answer(new Command.Inquire("job", 2, Question.STATUS, ""));
        assertFalse(answers.take().isKnown());
    }

    @Test
    void shouldSayWhyWhenTheNodeCannotBeRead() throws Exception {
        nodeAnswers.countDown();
        for (int i = 0; i < 3; i++) {
            answering.answer(new Command.Inquire("job", i, Question.SNAPSHOT, "damage"));
            Answer answer = answers.take();
            assertFalse(answer.isKnown());
            assertEquals("no such node", answer.text());
        }
    }
}

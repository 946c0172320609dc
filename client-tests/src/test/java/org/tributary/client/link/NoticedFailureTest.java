package org.tributary.client.link;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.tributary.client.error.JobAbortedException;
import org.tributary.config.FailurePolicy;

/** What a rank that comes upon the end of its job waits for, and that it waits no longer when it leaves. */
class NoticedFailureTest {
    private final JobFailure failure = new JobFailure(FailurePolicy.THROW, 3, true);
    private final List<String> told = Collections.synchronizedList(new ArrayList<>());

    NoticedFailureTest() {
        failure.tellThrough(told::add);
    }

    @Test
    void shouldTellTheOwnServerWhenNobodyKnowsBetter() {
        failure.noticed("a connection broke");
        assertTrue(failure.hasFailed());
        assertTrue(told.contains("a connection broke"), told.toString());
    }

    @Test
    void shouldWaitForNobodyWhenTheRankLeaves() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Void> notices = CompletableFuture.runAsync(() -> {
            begun.countDown();
            failure.noticed("a connection broke");
        });
        begun.await();
        failure.beginLeaving();
        notices.join();
        assertFalse(failure.hasFailed());
        assertTrue(told.isEmpty(), told.toString());
    }

    @Test
    void shouldThrowTheReasonWhenItComesInAMoment() {
        CompletableFuture<Void> waits = CompletableFuture.runAsync(failure::awaitReason);
        failure.fail("rank 1 has died");
        Throwable reason = assertThrows(java.util.concurrent.CompletionException.class, waits::join).getCause();
        assertTrue(reason instanceof JobAbortedException && reason.getMessage().equals("rank 1 has died"),
            reason.toString());
    }

    @Test
    void shouldGiveUpTheReasonWhenNoneComes() {
        failure.awaitReason();
        assertFalse(failure.hasFailed());
    }
}

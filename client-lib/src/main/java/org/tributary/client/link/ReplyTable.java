package org.tributary.client.link;

import java.util.Arrays;
import org.tributary.client.error.GasException;

/** The requests of one link that wait for an answer, by the number that the answer carries. */
final class ReplyTable {
    private PendingReply[] replies = new PendingReply[64];
    private int[] free = new int[64];
    private int freeCount;
    private int made;

    PendingReply take(Completion completion) {
        PendingReply reply;
        if (freeCount > 0) {
            reply = replies[free[--freeCount]];
        } else {
            if (made == replies.length) {
                replies = Arrays.copyOf(replies, 2 * made);
                free = Arrays.copyOf(free, 2 * made);
            }
            reply = new PendingReply(made);
            replies[made++] = reply;
        }
        reply.begin(completion);
        return reply;
    }

    void giveBack(PendingReply reply) {
        free[freeCount++] = reply.slot();
    }

    /** What has been asked for comes to nobody: the requests have failed. */
    void dropAll(GasException why) {
        for (int i = 0; i < made; i++) {
            replies[i].drop(why);
        }
    }

    /** Whether data is still to come for nobody. */
    boolean isDataDropped() {
        for (int i = 0; i < made; i++) {
            if (replies[i].isDataDropped()) {
                return true;
            }
        }
        return false;
    }

    int inUse() {
        return made - freeCount;
    }

    /** The request with that number, or null when there is none that waits. */
    PendingReply find(long requestId) {
        if (requestId < 0 || requestId >= made) {
            return null;
        }
        PendingReply reply = replies[(int) requestId];
        return reply.isDone() ? null : reply;
    }
}

package org.tributary.cooperation;

import java.util.Arrays;

/**
 * Requests that were passed on and will be answered. A ticket stands in for the request's id on the way to the target
 * and back; one that was answered is not good again.
 */
final class Tickets {
    private static final int FREE = -1;

    private int[] waiters = new int[16];
    private int[] peers = new int[16];
    private int[] uses = new int[16];
    private boolean[] prompt = new boolean[16];
    private int[] widths = new int[16];
    private int[] nextFree = new int[16];
    private int free = FREE;
    private int used;

    /** {@code width} is that of the word of a fetch-and-add, or 0. */
    long issue(int waiter, int peer, boolean isPrompt, int width) {
        int at = free;
        if (at == FREE) {
            at = used++;
            if (at == waiters.length) {
                waiters = Arrays.copyOf(waiters, 2 * at);
                peers = Arrays.copyOf(peers, 2 * at);
                uses = Arrays.copyOf(uses, 2 * at);
                prompt = Arrays.copyOf(prompt, 2 * at);
                widths = Arrays.copyOf(widths, 2 * at);
                nextFree = Arrays.copyOf(nextFree, 2 * at);
            }
        } else {
            free = nextFree[at];
        }
        waiters[at] = waiter;
        peers[at] = peer;
        prompt[at] = isPrompt;
        widths[at] = width;
        return (long) uses[at] << Integer.SIZE | at;
    }

    /** The place of a ticket that is out; throws when it is not. */
    int check(long ticket) {
        int at = (int) ticket;
        if (at < 0 || at >= used || peers[at] == FREE || uses[at] != ticket >> Integer.SIZE) {
            throw new IllegalArgumentException("no request is under way with ticket " + ticket);
        }
        return at;
    }

    int waiter(int at) {
        return waiters[at];
    }

    int peer(int at) {
        return peers[at];
    }

    int width(int at) {
        return widths[at];
    }

    boolean isPrompt(int at) {
        return prompt[at];
    }

    void free(int at) {
        peers[at] = FREE;
        uses[at] = uses[at] + 1 & Integer.MAX_VALUE;
        nextFree[at] = free;
        free = at;
    }

    /** Tickets are at places below this. */
    int size() {
        return used;
    }
}

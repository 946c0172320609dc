package org.tributary.cooperation;

/** Takes an answer to all waiters of the request. */
@FunctionalInterface
public interface Answers {
    /**
     * The answer goes to that source.
     *
     * @param requestId the id that it gave; for its n-th one-way request, which was refused, -1 - n
     * @param prefix what is to be added to the value of an answer to a fetch-and-add, see {@link #sum}; 0 otherwise
     * @param width bytes of the word of a fetch-and-add; 0 for anything else
     */
    void answer(int source, long requestId, long prefix, int width);

    /** Result of a combined fetch-and-add: wraps around at its width, and is sign-extended. */
    static long sum(long value, long prefix, int width) {
        return width == Integer.BYTES ? (int) (value + prefix) : value + prefix;
    }
}

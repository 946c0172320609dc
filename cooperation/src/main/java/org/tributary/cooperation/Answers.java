package org.tributary.cooperation;

/** Takes an answer to those who have a share in the request. */
@FunctionalInterface
public interface Answers {
    /**
     * The answer goes to that origin.
     *
     * @param requestId the id that it gave; -1 for a one-way request
     * @param prefix to be added to the value of an answer to a fetch-and-add, modulo its width; 0 otherwise
     */
    void to(int origin, long requestId, long prefix);
}

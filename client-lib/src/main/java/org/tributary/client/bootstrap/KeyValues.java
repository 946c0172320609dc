package org.tributary.client.bootstrap;

import java.io.IOException;

/**
 * Key-value space of a process manager for the ranks that it has started: they put texts under keys, and can get those
 * of all after a barrier. A call fails when the process manager gives no sense, or no answer in time.
 */
interface KeyValues {
    int rank();

    int size();

    /** The process manager's interface, for messages: {@code PMI-1}. */
    String name();

    /** How many characters a value may have. */
    int valueLength();

    /** A key may be put once. Keys and values are visible ASCII without blanks. */
    void put(String key, String value) throws IOException;

    /** The value that a rank has put before the last barrier. */
    String get(int rank, String key) throws IOException;

    void barrier() throws IOException;

    /** Has the process manager end all ranks, if it still listens. */
    void abort(int exitCode, String message);

    /** Says that this process, which is about to end, has come to a good end. */
    void leave();
}

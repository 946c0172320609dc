package org.tributary.client.bootstrap;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Texts of any length between the ranks of a launcher: all to rank 0, and from rank 0 to all, so that only rank 0 reads
 * something of every rank. Collective, in the same order on all ranks.
 *
 * <p>Exchange {@code n} of a process puts the parts of a rank's text under {@code trib-<n>-<rank>-<part>}, each
 * {@code <parts that follow>:<text>}.
 */
final class Exchange {
    private static final int COUNT_LENGTH = 8;

    private final KeyValues values;
    /** Held while the ranks make a job: their process manager hears of nothing else from this one. */
    private final ReentrantLock making = new ReentrantLock();
    private boolean failed;
    private int number;

    Exchange(KeyValues values) {
        this.values = values;
    }

    KeyValues values() {
        return values;
    }

    /** From the first exchange for a job to the last. */
    void begin() {
        making.lock();
    }

    /** {@code alike} says whether all ranks have come to the same end of it, well or not. */
    void end(boolean alike) {
        failed |= !alike;
        making.unlock();
    }

    /**
     * Tells the process manager that this process has come to a good end, if it has: not one that ends in the middle of
     * making a job, without which the others would wait. The process manager ends them then.
     */
    void leave() {
        if (making.tryLock()) {
            try {
                if (!failed) {
                    values.leave();
                }
            } finally {
                making.unlock();
            }
        }
    }

    /** The texts of all ranks, at rank 0; at others nothing. */
    List<String> gather(String text) throws IOException {
        number++;
        put(text);
        values.barrier();
        List<String> all = new ArrayList<>();
        for (int rank = 0; values.rank() == 0 && rank < values.size(); rank++) {
            all.add(rank == 0 ? text : get(rank));
        }
        return all;
    }

    /** Rank 0's text. */
    String broadcast(String text) throws IOException {
        number++;
        if (values.rank() == 0) {
            put(text);
        }
        values.barrier();
        return values.rank() == 0 ? text : get(0);
    }

    private void put(String text) throws IOException {
        int length = values.valueLength() - COUNT_LENGTH;
        int parts = Math.max(1, (text.length() + length - 1) / length);
        for (int part = 0; part < parts; part++) {
            int end = Math.min(text.length(), (part + 1) * length);
            values.put(key(values.rank(), part), (parts - 1 - part) + ":" + text.substring(part * length, end));
        }
    }

    private String get(int rank) throws IOException {
        StringBuilder text = new StringBuilder();
        int follow = 1;
        for (int part = 0; follow > 0; part++) {
            String value = values.get(rank, key(rank, part));
            int colon = value.indexOf(':');
            int before = follow;
            try {
                follow = Integer.parseInt(value, 0, Math.max(colon, 0), 10);
            } catch (NumberFormatException e) {
                throw malformed(rank, part, value.length());
            }
            if (follow < 0 || part > 0 && follow != before - 1) {
                throw malformed(rank, part, value.length());
            }
            text.append(value, colon + 1, value.length());
        }
        return text.toString();
    }

    /** Does not repeat the value: it may be a part of the job's secret. */
    private IOException malformed(int rank, int part, int length) {
        return new IOException(values.name() + " gives a text of " + length + " characters for " + key(rank, part)
            + ", which rank " + rank + " has not put");
    }

    private String key(int rank, int part) {
        return "trib-" + number + "-" + rank + "-" + part;
    }
}

package org.tributary.benchmarks.loops;

import org.tributary.benchmarks.job.JvmJob;
import org.tributary.benchmarks.measure.Repeatable;

/** Operations of a rank on memory, and on a mutex, of another node. */
enum Op {
    PUT("put+fence"),
    GET("get"),
    FETCH_AND_ADD("fetchAndAdd"),
    LOCK("lock+unlock");

    private final String text;

    Op(String text) {
        this.text = text;
    }

    /** Each rank has a word of its own there. */
    Repeatable of(JvmJob.Rank rank, int target) {
        long offset = (long) rank.gas().rank() * Long.BYTES;
        return switch (this) {
            case PUT -> () -> {
                rank.memory().putLong(target, offset, 1);
                rank.gas().fence(target);
            };
            case GET -> () -> rank.memory().getLong(target, offset);
            case FETCH_AND_ADD -> () -> rank.memory().fetchAndAdd(target, offset, 1);
            case LOCK -> () -> {
                rank.mutexes().lock(target, 0);
                rank.mutexes().unlock(target, 0);
            };
        };
    }

    @Override
    public String toString() {
        return text;
    }
}

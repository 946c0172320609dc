package org.tributary.benchmarks.loops;

import java.lang.foreign.MemorySegment;
import org.tributary.benchmarks.measure.Repeatable;
import org.tributary.client.window.Window;
import org.tributary.wire.codec.LockMode;

/** Operations of a rank on memory of another node, and on a mutex and the lock of a window there. */
enum Op {
    PUT("put+fence"),
    GET("get"),
    FETCH_AND_ADD("fetchAndAdd"),
    LOCK("lock+unlock"),
    WINDOW_PUT("window lock, put, unlock"),
    WINDOW_GET("window shared lock, get, unlock"),
    WINDOW_LOCKED_PUT("window put that travels with its lock");

    private final String text;

    Op(String text) {
        this.text = text;
    }

    /** Each rank has a word of its own there. */
    Repeatable of(Caller caller, int target) {
        long offset = (long) caller.gas().rank() * Long.BYTES;
        return switch (this) {
            case PUT -> () -> {
                caller.memory().putLong(target, offset, 1);
                caller.gas().fence(target);
            };
            case GET -> () -> caller.memory().getLong(target, offset);
            case FETCH_AND_ADD -> () -> caller.memory().fetchAndAdd(target, offset, 1);
            case LOCK -> () -> {
                caller.mutexes().lock(target, 0);
                caller.mutexes().unlock(target, 0);
            };
            case WINDOW_PUT -> put(caller.immediate(), target, offset, caller.word());
            case WINDOW_LOCKED_PUT -> put(caller.deferred(), target, offset, caller.word());
            case WINDOW_GET -> () -> {
                Window window = caller.immediate();
                window.lock(LockMode.SHARED, target);
                window.get(target, offset, caller.word());
                window.unlock(target);
            };
        };
    }

    private static Repeatable put(Window window, int target, long offset, MemorySegment word) {
        return () -> {
            window.lock(LockMode.EXCLUSIVE, target);
            window.put(target, offset, word);
            window.unlock(target);
        };
    }

    @Override
    public String toString() {
        return text;
    }
}

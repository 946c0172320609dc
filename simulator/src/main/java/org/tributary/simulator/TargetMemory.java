package org.tributary.simulator;

import java.util.ArrayDeque;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.Long2LongHashMap;
import org.agrona.collections.Long2ObjectHashMap;

/** The memory and mutexes of one node, and whether operations reach them once and in order. */
final class TargetMemory {
    /** The answer of an operation that waits for a mutex. */
    static final long NOT_YET = -1;
    private static final long GRANTED = 1;

    /** Whom a mutex is granted to when it was not at once, and what those answer with who did something under it. */
    interface Grants {
        void granted(Pipe to, long id, Op op, long value);
    }

    private record Waiter(Pipe from, long id, Op op) {
    }

    private final Long2LongHashMap words = new Long2LongHashMap(0);
    private final Long2ObjectHashMap<ArrayDeque<Waiter>> mutexes = new Long2ObjectHashMap<>();
    private final Int2ObjectHashMap<long[]> lastNumbers = new Int2ObjectHashMap<>();
    private final Conditions conditions;

    TargetMemory(Conditions conditions) {
        this.conditions = conditions;
    }

    long word(long name) {
        return words.get(name);
    }

    /** Executes a request; returns the value of its answer, or {@link #NOT_YET}. */
    long execute(Carried request, Pipe from, Grants grants) {
        for (Op op : request.ops()) {
            check(op);
        }
        Op op = request.op();
        return switch (op.kind) {
            case LOCK, LOCKED_PUT, LOCKED_ACCUMULATE, LOCKED_GET -> lock(new Waiter(from, request.id(), op));
            case UNLOCK -> {
                unlock(op, grants);
                yield 0;
            }
            default -> apply(op, request.operand());
        };
    }

    private long apply(Op op, long operand) {
        long before = words.get(op.word);
        switch (op.kind) {
            case PUT, SWAP, LOCKED_PUT -> set(op.word, operand);
            case ACCUMULATE, FETCH_AND_ADD, LOCKED_ACCUMULATE -> set(op.word, before + operand);
            default -> { }
        }
        return before;
    }

    private long lock(Waiter waiter) {
        Op op = waiter.op;
        long mutex = op.kind.isLocked() ? Op.LOCKED_BY : op.word;
        ArrayDeque<Waiter> holders = mutexes.get(mutex);
        if (holders == null) {
            holders = new ArrayDeque<>();
            mutexes.put(mutex, holders);
        }
        if (op.kind.isLocked() && holders.isEmpty()) {
            return apply(op, op.operand);
        }
        holders.add(waiter);
        return holders.size() == 1 ? GRANTED : NOT_YET;
    }

    /** Passes the mutex on: to all at the head of its queue who release it by themselves, and one who keeps it. */
    private void unlock(Op op, Grants grants) {
        ArrayDeque<Waiter> holders = mutexes.get(op.word);
        if (holders == null || holders.isEmpty() || holders.peek().op.rank != op.rank) {
            throw new AssertionError(op + " by a rank that does not hold it");
        }
        holders.remove();
        while (!holders.isEmpty() && holders.peek().op.kind.isLocked()) {
            Waiter waiter = holders.remove();
            grants.granted(waiter.from, waiter.id, waiter.op, apply(waiter.op, waiter.op.operand));
        }
        if (!holders.isEmpty()) {
            grants.granted(holders.peek().from, holders.peek().id, holders.peek().op, GRANTED);
        }
    }

    private void set(long word, long value) {
        if (value == 0) {
            words.remove(word);
        } else {
            words.put(word, value);
        }
    }

    private void check(Op op) {
        long[] last = lastNumbers.get(op.rank);
        if (last == null) {
            last = new long[1];
            lastNumbers.put(op.rank, last);
        }
        boolean isNext = conditions.losesServer() ? op.number > last[0] : op.number == last[0] + 1;
        if (!isNext || ++op.executions > 1) {
            throw new AssertionError(op + " after number " + last[0]);
        }
        last[0] = op.number;
    }
}

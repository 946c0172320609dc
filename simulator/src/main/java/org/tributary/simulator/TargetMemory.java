package org.tributary.simulator;

import java.util.ArrayDeque;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.Long2LongHashMap;
import org.agrona.collections.Long2ObjectHashMap;

/** The memory and mutexes of one node, and whether operations reach them once and in order. */
final class TargetMemory {
    /** Whom a mutex is granted to when it was not at once. */
    interface Grants {
        void granted(Pipe to, long id, Op op);
    }

    private record Waiter(Pipe from, long id, Op op) {
    }

    private final Long2LongHashMap words = new Long2LongHashMap(0);
    private final Long2ObjectHashMap<ArrayDeque<Waiter>> mutexes = new Long2ObjectHashMap<>();
    private final Int2ObjectHashMap<long[]> lastNumbers = new Int2ObjectHashMap<>();
    private final Simulation simulation;

    TargetMemory(Simulation simulation) {
        this.simulation = simulation;
    }

    long word(long name) {
        return words.get(name);
    }

    /** Executes a request; returns the value of its answer, or -1 for a mutex that is not granted yet. */
    long execute(Carried request, Pipe from, Grants grants) {
        for (Op op : request.ops()) {
            check(op);
        }
        Op op = request.op();
        long before = words.get(op.word);
        switch (op.kind) {
            case PUT, SWAP -> set(op.word, request.operand());
            case ACCUMULATE, FETCH_AND_ADD -> set(op.word, before + request.operand());
            case LOCK -> {
                ArrayDeque<Waiter> holders = mutexes.get(op.word);
                if (holders == null) {
                    holders = new ArrayDeque<>();
                    mutexes.put(op.word, holders);
                }
                holders.add(new Waiter(from, request.id(), op));
                return holders.size() == 1 ? 1 : -1;
            }
            case UNLOCK -> {
                ArrayDeque<Waiter> holders = mutexes.get(op.word);
                if (holders == null || holders.isEmpty() || holders.peek().op.rank != op.rank) {
                    throw new AssertionError(op + " by a rank that does not hold it");
                }
                holders.remove();
                if (!holders.isEmpty()) {
                    grants.granted(holders.peek().from, holders.peek().id, holders.peek().op);
                }
            }
            default -> { }
        }
        return before;
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
        boolean isNext = simulation.losesServer() ? op.number > last[0] : op.number == last[0] + 1;
        if (!isNext || ++op.executions > 1) {
            throw new AssertionError(op + " after number " + last[0]);
        }
        last[0] = op.number;
    }
}

package org.tributary.simulator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.tributary.config.Topology;
import org.tributary.simulator.Op.Kind;
import org.tributary.testsupport.Linearizability;
import org.tributary.testsupport.Linearizability.Action;
import org.tributary.testsupport.Linearizability.Event;

/** Holds what the ranks of a run of {@link RandomProgram} saw against what may happen. */
final class HistoryCheck {
    private record Word(int node, long word) {
    }

    private record Addition(Op op, long bit) {
    }

    private static final int MAX_UNFINISHED = 8;

    private final Simulation simulation;
    private final Topology topology;
    private final Faults faults;

    HistoryCheck(Simulation simulation, Topology topology, Faults faults) {
        this.simulation = simulation;
        this.topology = topology;
        this.faults = faults;
    }

    /** Throws when an operation was lost, executed twice, or seen out of order. */
    void check() {
        Map<Word, List<Op>> words = new HashMap<>();
        for (Op op : simulation.history()) {
            if (topology.nodeOf(op.rank) != faults.lostNode()) {
                checkEnd(op);
            }
            words.computeIfAbsent(new Word(op.targetNode, op.word), word -> new ArrayList<>()).add(op);
        }
        words.forEach((word, ops) -> {
            if (word.word >= RandomProgram.OWN_WORDS) {
                checkOwn(ops);
            } else if (word.word == RandomProgram.MUTEX) {
                checkMutex(ops);
            } else if (word.word == RandomProgram.GUARDED) {
                checkGuarded(word, ops);
            } else if (word.word >= RandomProgram.SUM_WORDS) {
                checkSums(ops);
            } else {
                checkWord(word, ops);
            }
        });
        if (faults.lostNode() < 0) {
            simulation.checkNothingWaits();
        }
    }

    private void checkEnd(Op op) {
        boolean isRight = op.isDone() && (op.failedAt >= 0
            ? op.failedAt == faults.lostNode() && op.executions <= 1
            : op.executions == 1);
        if (!isRight) {
            throw new AssertionError(op + ", lost node " + faults.lostNode());
        }
    }

    /** A rank's own word: it alone puts there, and gets see its puts in order. */
    private static void checkOwn(List<Op> ops) {
        long expected = 0;
        for (Op op : ops) {
            if (op.failedAt >= 0 || !op.isDone()) {
                return;
            }
            if (op.kind == Kind.PUT || op.kind == Kind.LOCKED_PUT) {
                expected = op.operand;
            } else if (op.value != expected) {
                throw new AssertionError(op + " sees not what the rank has put, " + expected);
            }
        }
    }

    private static void checkMutex(List<Op> ops) {
        List<long[]> held = new ArrayList<>();
        for (int i = 0; i < ops.size(); i++) {
            Op lock = ops.get(i);
            if (lock.kind == Kind.LOCK) {
                long until = ops.subList(i, ops.size()).stream()
                    .filter(op -> op.kind == Kind.UNLOCK && op.rank == lock.rank).mapToLong(Op::issuedNs).findFirst()
                    .orElseThrow();
                held.add(new long[] {lock.doneNs, until});
            }
        }
        held.sort((a, b) -> Long.compare(a[0], b[0]));
        for (int i = 1; i < held.size(); i++) {
            if (held.get(i)[0] < held.get(i - 1)[1]) {
                throw new AssertionError("two ranks hold the mutex at " + held.get(i)[0] + " ns");
            }
        }
    }

    /** Each accumulate added a bit of its own: a get tells which had happened. */
    private static void checkSums(List<Op> ops) {
        checkSums(ops.stream().filter(op -> op.kind == Kind.GET).toList(),
            ops.stream().filter(op -> op.kind == Kind.ACCUMULATE).map(op -> new Addition(op, op.operand)).toList());
    }

    /** So did each who read and wrote under the mutex, and none may have overwritten what another has added. */
    private void checkGuarded(Word word, List<Op> ops) {
        List<Op> gets = ops.stream().filter(op -> op.kind == Kind.GET || op.kind == Kind.LOCKED_GET).toList();
        List<Addition> additions = new ArrayList<>();
        Map<Integer, Op> readBy = new HashMap<>();
        for (Op op : ops) {
            switch (op.kind) {
                case GET -> readBy.put(op.rank, op);
                case PUT -> additions.add(new Addition(op, readBy.get(op.rank).operand));
                case LOCKED_ACCUMULATE -> additions.add(new Addition(op, op.operand));
                default -> { }
            }
        }
        checkSums(gets, additions);
        long all = additions.stream().mapToLong(Addition::bit).sum();
        if (faults.lostNode() < 0 && simulation.word(word.node, word.word) != all) {
            throw new AssertionError("bits " + Long.toHexString(all) + " were added, "
                + Long.toHexString(simulation.word(word.node, word.word)) + " are there: " + ops);
        }
    }

    private static void checkSums(List<Op> all, List<Addition> additions) {
        List<Op> gets = all.stream().filter(op -> op.isDone() && op.failedAt < 0)
            .sorted((a, b) -> Long.compare(Long.bitCount(a.value), Long.bitCount(b.value))).toList();
        for (int i = 0; i < gets.size(); i++) {
            Op get = gets.get(i);
            for (Addition addition : additions) {
                Op op = addition.op;
                boolean isIn = (get.value & addition.bit) != 0;
                if (isIn ? op.issuedNs > get.doneNs : op.failedAt < 0 && op.doneNs < get.issuedNs) {
                    throw new AssertionError(get + (isIn ? " sees too early " : " misses ") + op);
                }
            }
            if (i > 0) {
                Op before = gets.get(i - 1);
                boolean isOrdered = (before.value & ~get.value) == 0
                    && (before.value == get.value || get.doneNs >= before.issuedNs);
                if (!isOrdered) {
                    throw new AssertionError("no order of accumulates explains " + before + " and " + get);
                }
            }
        }
    }

    private static void checkWord(Word word, List<Op> ops) {
        List<Event> events = new ArrayList<>();
        long unfinished = 0;
        for (Op op : ops) {
            Action action = switch (op.kind) {
                case GET -> Action.READ;
                case SWAP -> Action.SWAP;
                case FETCH_AND_ADD -> Action.FETCH_AND_ADD;
                default -> throw new AssertionError(op);
            };
            boolean isOver = op.isDone() && op.failedAt < 0;
            unfinished += isOver ? 0 : 1;
            events.add(new Event(action, op.operand, op.value, op.issuedNs, isOver ? op.doneNs : Long.MAX_VALUE));
        }
        // The search takes time exponential in what may have happened or not.
        if (events.size() <= Linearizability.MAX_EVENTS && unfinished <= MAX_UNFINISHED
            && !Linearizability.holds(events, 0)) {
            throw new AssertionError("not linearizable: " + word + ": " + ops);
        }
    }
}

package org.tributary.client.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.tributary.client.Gas;
import org.tributary.client.Group;
import org.tributary.client.shape.Ranges;
import org.tributary.client.shape.Strided;
import org.tributary.client.window.RandomPlan.Kind;
import org.tributary.client.window.RandomPlan.Op;
import org.tributary.client.window.RandomPlan.Zone;
import org.tributary.wire.codec.LockMode;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/** One member's side of random epochs on one window, with a serial model of all parts to compare with. */
final class RandomRun {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private record Result(Op op, MemorySegment expected, MemorySegment actual) {
    }

    private final Gas gas;
    private final Group group;
    private final Window window;
    private final int me;
    private final MemorySegment[] parts;
    private final List<Result> results = new ArrayList<>();
    private final Random pauses = new Random();
    private final Rendezvous rendezvous;
    private final List<MemorySegment> before = new ArrayList<>();
    private List<Op> predicted = List.of();
    private long counted;
    private String where = "";
    private int epochs;

    RandomRun(Gas gas, Window window, Rendezvous rendezvous) {
        this.rendezvous = rendezvous;
        this.gas = gas;
        this.window = window;
        this.group = window.group();
        this.me = group.rank();
        this.parts = new MemorySegment[group.size()];
        for (int member = 0; member < parts.length; member++) {
            parts[member] = MemorySegment.ofArray(new long[(int) (RandomPlan.BYTES / Long.BYTES)]);
        }
    }

    /** Epochs so far in which this member took part. */
    int epochs() {
        return epochs;
    }

    /** One block of epochs of one kind, the same on all members. */
    void block(Random plan, String name) {
        where = name;
        switch (plan.nextInt(4)) {
            case 0 -> exposures(plan);
            case 1 -> locks(plan);
            default -> fences(plan);
        }
    }

    private boolean[][] everyone(boolean allowed) {
        boolean[][] pairs = new boolean[group.size()][group.size()];
        for (boolean[] row : pairs) {
            Arrays.fill(row, allowed);
        }
        return pairs;
    }

    private void fences(Random plan) {
        int count = 1 + plan.nextInt(6);
        List<Op> stores = RandomPlan.stores(plan, group.size(), 2);
        List<List<Op>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(RandomPlan.epoch(plan, everyone(true), plan.nextInt(3) == 0 ? 1 : 3 * group.size()));
        }
        boolean[] succeeds = new boolean[count];
        for (int i = 0; i < count - 1; i++) {
            succeeds[i] = plan.nextBoolean();
        }
        boolean precede = plan.nextInt(3) == 0;
        where += " fence";
        store(stores);
        window.fence(precede ? new Assertion[0] : new Assertion[] {Assertion.NOPRECEDE});
        for (int i = 0; i < count; i++) {
            run(all.get(i));
            pause();
            List<Op> over = succeeds[i] ? List.of() : storesOverRead(all.get(i));
            List<MemorySegment> contents = over.stream().map(RandomRun::elements).toList();
            window.fence(succeeds[i] ? new Assertion[0] : new Assertion[] {Assertion.NOSUCCEED});
            epochs++;
            for (int store = 0; store < over.size(); store++) {
                storeHere(over.get(store), contents.get(store));
            }
            over.forEach(this::apply);
            verify(i, succeeds[i] ? writtenHere(all.get(i + 1)) : new BitSet());
            if (!succeeds[i] && i < count - 1) {
                window.fence(Assertion.NOPRECEDE);
            }
        }
    }

    /** Each owner changes the end of what has just been read from its part, and nobody must be reading any more. */
    private static List<Op> storesOverRead(List<Op> ops) {
        List<Op> stores = new ArrayList<>();
        for (Op op : ops) {
            if (op.kind() == Kind.GET) {
                long bytes = Math.min(op.block(), 1_024);
                long at = op.blocks()[op.blocks().length - 1] + op.block() - bytes;
                stores.add(new Op(Kind.DIRECT_STORE, RandomPlan.Form.CONTIGUOUS, op.target(), op.target(), op.zone(),
                    null, new long[] {at}, bytes, ~op.seed(), true));
            }
        }
        return stores;
    }

    /** Bytes that the next epoch may be changing already while this one is compared. */
    private BitSet writtenHere(List<Op> next) {
        BitSet written = new BitSet();
        for (Op op : next) {
            if (op.target() == me && op.writes()) {
                for (long at : op.blocks()) {
                    written.set((int) at, (int) (at + op.block()));
                }
            }
        }
        return written;
    }

    private void exposures(Random plan) {
        where += " exposure";
        for (int i = 1 + plan.nextInt(6); i > 0; i--) {
            boolean[][] pairs = everyone(false);
            int chance = 1 + plan.nextInt(3);
            for (boolean[] row : pairs) {
                for (int target = 0; target < row.length; target++) {
                    row[target] = plan.nextInt(3) < chance;
                }
            }
            boolean checked = plan.nextInt(5) > 0;
            List<Op> stores = new ArrayList<>(RandomPlan.stores(plan, group.size(), 2));
            stores.removeIf(op -> ranksTo(pairs, op.target()).length == 0);
            List<Op> ops = RandomPlan.epoch(plan, pairs, 3 * group.size());
            exposure(pairs, checked, stores, ops, plan.nextBoolean(), i);
        }
    }

    private void exposure(boolean[][] pairs, boolean checked, List<Op> stores, List<Op> ops, boolean tested,
        int number) {
        Assertion[] assertions = checked ? new Assertion[0] : new Assertion[] {Assertion.NOCHECK};
        int[] origins = ranksTo(pairs, me);
        int[] targets = ranksFrom(pairs, me);
        store(stores);
        pause();
        if (origins.length > 0) {
            window.post(origins, assertions);
        }
        if (!checked) {
            group.barrier();
        }
        boolean accesses = targets.length > 0;
        if (accesses) {
            window.start(targets, assertions);
        }
        run(ops);
        if (accesses) {
            pause();
            window.complete();
            verifyResults(number);
        }
        if (origins.length > 0) {
            while (tested && !window.test()) {
                LockSupport.parkNanos(1_000);
            }
            if (!tested) {
                window.await();
            }
            epochs++;
            verify(number, new BitSet());
        }
    }

    private int[] ranksTo(boolean[][] pairs, int target) {
        return IntStream.range(0, pairs.length).filter(origin -> pairs[origin][target])
            .map(group::worldRank).toArray();
    }

    private int[] ranksFrom(boolean[][] pairs, int origin) {
        return IntStream.range(0, pairs.length).filter(target -> pairs[origin][target])
            .map(group::worldRank).toArray();
    }

    private void locks(Random plan) {
        where += " lock";
        List<Op> ops = RandomPlan.epoch(plan, everyone(true), 4 * group.size());
        boolean all = plan.nextInt(4) == 0;
        int hot = plan.nextInt(group.size()); // where members meet
        int[] adds = plan.ints(group.size(), 0, 3).toArray();
        long mark = plan.nextLong();
        Random choices = new Random(plan.nextLong() + me);
        group.barrier();
        predict(ops);
        if (all) {
            window.lockAll();
            issue(ops, choices);
            window.unlockAll();
            epochs++;
        }
        List<Integer> order = new ArrayList<>(IntStream.range(0, group.size()).boxed().toList());
        Collections.shuffle(order, choices);
        for (int target : order) {
            if (!all) {
                List<Op> mine = ops.stream().filter(op -> op.origin() == me && op.target() == target).toList();
                int cut = choices.nextInt(mine.size() + 1);
                lock(mine.subList(0, cut), target, choices);
                lock(mine.subList(cut, mine.size()), target, choices);
            }
        }
        rendezvous.await(gas, group.size());
        verify(0, new BitSet());
        for (int i = 0; i < adds[me]; i++) {
            increment(group.worldRank(hot), choices.nextInt(3) == 0);
            tear(group.worldRank(hot), mark + me, choices);
        }
        if (me == hot) {
            counted += Arrays.stream(adds).sum();
        }
        rendezvous.await(gas, group.size());
        assertEquals(counted, window.local().get(LONG, RandomPlan.COUNTER), () -> where + ": counter");
        assertUniform(window.local().asSlice(RandomPlan.TORN, RandomPlan.TORN_BYTES));
        group.barrier();
    }

    private void lock(List<Op> ops, int target, Random choices) {
        if (ops.isEmpty() && choices.nextInt(4) > 0) {
            return;
        }
        int rank = group.worldRank(target);
        boolean exclusive = choices.nextInt(3) == 0;
        window.lock(exclusive ? LockMode.EXCLUSIVE : LockMode.SHARED, rank);
        issue(ops, choices);
        pause();
        window.unlock(rank);
        epochs++;
    }

    private void issue(List<Op> ops, Random choices) {
        for (Op op : ops) {
            if (op.origin() == me) {
                int rank = group.worldRank(op.target());
                if (op.form() == RandomPlan.Form.CONTIGUOUS && choices.nextInt(8) == 0) {
                    request(op, rank, choices.nextBoolean());
                } else {
                    execute(op);
                }
                switch (choices.nextInt(12)) {
                    case 0 -> window.flush(rank);
                    case 1 -> window.flushLocal(rank);
                    case 2 -> window.flushAll();
                    default -> pause();
                }
            }
        }
    }

    /** Adds one to a counter, without any atomic operation or with one that others' must not see the middle of. */
    private void increment(int rank, boolean atOnce) {
        MemorySegment value = MemorySegment.ofArray(new long[] {1});
        window.lock(LockMode.EXCLUSIVE, rank);
        epochs++;
        if (atOnce) {
            window.accumulate(rank, RandomPlan.COUNTER / 8, ReduceOp.SUM, ElementType.LONG, value, 0, 8);
            window.unlock(rank);
            return;
        }
        window.get(rank, RandomPlan.COUNTER / 8, value);
        window.flush(rank);
        value.set(LONG, 0, value.get(LONG, 0) + 1);
        window.put(rank, RandomPlan.COUNTER / 8, value);
        window.unlock(rank);
    }

    /** Writes a region in several pieces under an exclusive lock, or reads it under a shared one. */
    private void tear(int rank, long mark, Random choices) {
        boolean writes = choices.nextInt(3) > 0;
        long[] contents = new long[(int) (RandomPlan.TORN_BYTES / Long.BYTES)];
        Arrays.fill(contents, mark);
        MemorySegment buffer = MemorySegment.ofArray(contents);
        int pieces = choices.nextBoolean() ? 3 : 48;
        long piece = RandomPlan.TORN_BYTES / pieces;
        window.lock(writes ? LockMode.EXCLUSIVE : LockMode.SHARED, rank);
        for (int i = 0; i < pieces; i++) {
            long at = RandomPlan.TORN + i * piece;
            if (writes) {
                window.put(rank, at / 8, buffer, i * piece, piece);
            } else {
                window.get(rank, at / 8, buffer, i * piece, piece);
            }
        }
        window.unlock(rank);
        epochs++;
        assertUniform(buffer);
    }

    private void assertUniform(MemorySegment region) {
        MemorySegment first = region.asSlice(0, region.byteSize() - 8);
        assertEquals(-1, first.mismatch(region.asSlice(8)), () -> where + ": region of two writers");
    }

    private void store(List<Op> stores) {
        for (Op op : stores) {
            apply(op);
            storeHere(op, elements(op));
        }
    }

    private void storeHere(Op op, MemorySegment contents) {
        if (op.target() == me) {
            MemorySegment.copy(contents, 0, window.local(), op.blocks()[0], op.block());
        }
    }

    /** Own operations of an epoch, and the model of all. */
    private void run(List<Op> ops) {
        predict(ops);
        for (Op op : ops) {
            if (op.origin() == me) {
                execute(op);
                pause();
            }
        }
    }

    /** Notes what own operations will find, then takes all into the model. */
    private void predict(List<Op> ops) {
        before.clear();
        for (Op op : ops) {
            before.add(op.origin() == me && (op.kind() == Kind.GET || op.isAlone()) ? gathered(op) : null);
        }
        predicted = ops;
        for (Op op : ops) {
            apply(op);
        }
    }

    private MemorySegment foundBy(Op op) {
        return before.get(predicted.indexOf(op));
    }

    private MemorySegment gathered(Op op) {
        MemorySegment found = MemorySegment.ofArray(new byte[(int) op.bytes()]);
        for (int i = 0; i < op.blocks().length; i++) {
            MemorySegment.copy(parts[op.target()], op.blocks()[i], found, i * op.block(), op.block());
        }
        return found;
    }

    private static MemorySegment elements(Op op) {
        return Model.elements(new Random(op.seed()), op.zone().type(), op.bytes(), op.op() == ReduceOp.PRODUCT);
    }

    private void apply(Op op) {
        MemorySegment part = parts[op.target()];
        MemorySegment source = op.kind() == Kind.GET ? null : elements(op);
        for (int i = 0; i < op.blocks().length; i++) {
            long at = op.blocks()[i];
            long from = i * op.block();
            switch (op.kind()) {
                case PUT, DIRECT_STORE -> MemorySegment.copy(source, from, part, at, op.block());
                case ACCUMULATE, GET_ACCUMULATE ->
                    Model.combine(op.op(), op.zone().type(), part, at, source, from, op.block());
                case COMPARE_AND_SWAP -> {
                    if (swaps(op)) {
                        MemorySegment.copy(source, 0, part, at, op.block());
                    }
                }
                case GET -> { }
            }
        }
    }

    /** Every other compare-and-swap expects what is there. */
    private static boolean swaps(Op op) {
        return (op.seed() & 1) == 0;
    }

    private void execute(Op op) {
        int rank = group.worldRank(op.target());
        long displacement = op.blocks()[0] / 8;
        MemorySegment source = op.kind() == Kind.GET ? MemorySegment.ofArray(new byte[(int) op.bytes()])
            : elements(op);
        MemorySegment result = MemorySegment.ofArray(new byte[(int) op.bytes()]);
        switch (op.kind()) {
            case PUT -> put(op, rank, displacement, source);
            case GET -> {
                get(op, rank, displacement, source);
                results.add(new Result(op, foundBy(op), source));
            }
            case ACCUMULATE -> accumulate(op, rank, displacement, source);
            case GET_ACCUMULATE -> {
                if (op.bytes() == op.zone().type().sizeInBytes()) {
                    window.fetchAndOp(rank, displacement, op.op(), op.zone().type(), source, result);
                } else {
                    window.getAccumulate(rank, displacement, op.op(), op.zone().type(), source, 0, result, 0,
                        op.bytes());
                }
            }
            case COMPARE_AND_SWAP -> {
                MemorySegment expected = MemorySegment.ofArray(foundBy(op).toArray(ValueLayout.JAVA_BYTE));
                if (!swaps(op)) {
                    expected.set(ValueLayout.JAVA_BYTE, 1, (byte) ~expected.get(ValueLayout.JAVA_BYTE, 1));
                }
                window.compareAndSwap(rank, displacement, op.zone().type(), expected, source, result);
            }
            case DIRECT_STORE -> MemorySegment.copy(source, 0, window.local(), op.blocks()[0], op.block());
        }
        if (op.isAlone() && (op.kind() == Kind.GET_ACCUMULATE || op.kind() == Kind.COMPARE_AND_SWAP)) {
            results.add(new Result(op, foundBy(op), result));
        }
    }

    /** As a request, where that has a form; waits for it or leaves that to the end of the epoch. */
    private void request(Op op, int rank, boolean waits) {
        long displacement = op.blocks()[0] / 8;
        Request request = switch (op.kind()) {
            case PUT -> window.requestPut(rank, displacement, elements(op), 0, op.bytes());
            case GET -> {
                MemorySegment target = MemorySegment.ofArray(new byte[(int) op.bytes()]);
                results.add(new Result(op, foundBy(op), target));
                yield window.requestGet(rank, displacement, target, 0, op.bytes());
            }
            case ACCUMULATE -> window.requestAccumulate(rank, displacement, op.op(), op.zone().type(), elements(op), 0,
                op.bytes());
            default -> null;
        };
        if (request == null) {
            execute(op);
        } else if (waits) {
            request.await();
        }
    }

    private void put(Op op, int rank, long displacement, MemorySegment source) {
        switch (op.form()) {
            case CONTIGUOUS -> window.put(rank, displacement, source);
            case STRIDED -> window.putStrided(rank, displacement, source, 0, strided(op));
            case VECTOR -> window.putVector(rank, displacement, source, ranges(op));
        }
    }

    private void get(Op op, int rank, long displacement, MemorySegment target) {
        switch (op.form()) {
            case CONTIGUOUS -> window.get(rank, displacement, target);
            case STRIDED -> window.getStrided(rank, displacement, target, 0, strided(op));
            case VECTOR -> window.getVector(rank, displacement, target, ranges(op));
        }
    }

    private void accumulate(Op op, int rank, long displacement, MemorySegment source) {
        switch (op.form()) {
            case CONTIGUOUS ->
                window.accumulate(rank, displacement, op.op(), op.zone().type(), source, 0, op.bytes());
            case STRIDED -> window.accumulateStrided(rank, displacement, op.op(), op.zone().type(), source, 0,
                strided(op));
            case VECTOR -> window.accumulateVector(rank, displacement, op.op(), op.zone().type(), source, ranges(op));
        }
    }

    private static Strided strided(Op op) {
        long pitch = op.blocks().length == 1 ? op.block() : op.blocks()[1] - op.blocks()[0];
        return Strided.rows(op.block(), op.blocks().length, op.block(), pitch);
    }

    private static Ranges ranges(Op op) {
        long[] here = new long[op.blocks().length];
        long[] there = new long[op.blocks().length];
        for (int i = 0; i < here.length; i++) {
            here[i] = i * op.block();
            there[i] = op.blocks()[i] - op.blocks()[0];
        }
        return Ranges.uniform((int) op.block(), here, there);
    }

    private void pause() {
        switch (pauses.nextInt(40)) {
            case 0 -> Thread.yield();
            case 1 -> LockSupport.parkNanos(pauses.nextInt(400_000));
            default -> { }
        }
    }

    private void verifyResults(int epoch) {
        for (Result result : results) {
            long at = Model.mismatch(result.op.zone().type(), result.expected, result.actual);
            assertTrue(at < 0, () -> where + " " + epoch + ", member " + me + " of " + group.size() + ": "
                + result.op + " returned something else from byte " + at + " on");
        }
        results.clear();
    }

    /** Compares what was returned, and the own part where nobody can be changing it. */
    private void verify(int epoch, BitSet excluded) {
        verifyResults(epoch);
        for (Zone zone : RandomPlan.ZONES) {
            long from = zone.begin();
            long to = zone.begin() + zone.bytes();
            while (from < to) {
                from = excluded.nextClearBit((int) from);
                int next = excluded.nextSetBit((int) from);
                long end = next < 0 ? to : Math.min(next, to);
                if (from >= end) {
                    break;
                }
                long at = Model.mismatch(zone.type(), parts[me].asSlice(from, end - from),
                    window.local().asSlice(from, end - from));
                long begin = from;
                assertTrue(at < 0, () -> where + " " + epoch + ", member " + me + " of " + group.size() + " (rank "
                    + gas.rank() + "): contents of " + zone.type() + " differ at byte " + (begin + at));
                from = end;
            }
        }
    }
}

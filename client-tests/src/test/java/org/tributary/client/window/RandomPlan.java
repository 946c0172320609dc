package org.tributary.client.window;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/**
 * Random epochs that leave no doubt about their outcome: within one, bytes are touched by one operation, or by gets, or
 * by accumulates of one kind. Every member makes the same plan from the same seed.
 *
 * <pre>
 *   part of a member:  LONG   | INT  | FLOAT | DOUBLE | COMPLEX_FLOAT | COMPLEX_DOUBLE | torn region | counter
 * </pre>
 */
final class RandomPlan {
    /** What elements a stretch of the window holds, so that sums of any order are the same. */
    record Zone(ElementType type, long begin, long bytes) {
    }

    /** What is done. */
    enum Kind { PUT, GET, ACCUMULATE, GET_ACCUMULATE, COMPARE_AND_SWAP, DIRECT_STORE }

    /** How the bytes lie at the target. */
    enum Form { CONTIGUOUS, STRIDED, VECTOR }

    /**
     * One operation.
     *
     * @param blocks   where it touches the target's part
     * @param block    bytes of each of the blocks
     * @param seed     of its elements
     * @param isAlone  whether nothing else touches these bytes, so that what it returns is known
     */
    record Op(Kind kind, Form form, int origin, int target, Zone zone, ReduceOp op, long[] blocks, long block,
        long seed, boolean isAlone) {
        long bytes() {
            return block * blocks.length;
        }

        boolean writes() {
            return kind != Kind.GET && op != ReduceOp.NO_OP;
        }

        @Override
        public String toString() {
            return kind + " " + form + " " + (op == null ? "" : op + " ") + zone.type + " of member " + origin
                + " on member " + target + " at " + blocks[0] + ", " + blocks.length + " blocks of " + block;
        }
    }

    /** Bytes that only operations of one kind may touch. */
    private record Reserved(long begin, long end, int kind) {
    }

    static final List<Zone> ZONES = zones();
    static final long TORN = end(ZONES.getLast());
    static final long TORN_BYTES = 3 * 48 * 1024;
    static final long COUNTER = TORN + TORN_BYTES;
    static final long BYTES = COUNTER + 64;
    static final int GRANULE = 16;

    private static final int LARGE = 300_000;
    private static final int EXCLUSIVE = 1 << 20;

    private final Random random;
    private final int members;
    private final List<List<Reserved>> reserved = new ArrayList<>();
    private int operations;

    private RandomPlan(Random random, int members) {
        this.random = random;
        this.members = members;
        for (int member = 0; member < members; member++) {
            reserved.add(new ArrayList<>());
        }
    }

    private static List<Zone> zones() {
        List<Zone> zones = new ArrayList<>();
        zones.add(new Zone(ElementType.LONG, 0, 400 * 1024));
        for (ElementType type : ElementType.values()) {
            if (type != ElementType.LONG) {
                zones.add(new Zone(type, end(zones.getLast()), 2 * 1024));
            }
        }
        return List.copyOf(zones);
    }

    private static long end(Zone zone) {
        return zone.begin + zone.bytes;
    }

    /** Up to so many operations of one epoch, between the pairs that are allowed. */
    static List<Op> epoch(Random random, boolean[][] allowed, int most) {
        RandomPlan plan = new RandomPlan(random, allowed.length);
        List<Op> ops = new ArrayList<>();
        int wanted = most == 0 ? 0 : random.nextInt(most + 1);
        for (int i = 0; i < wanted; i++) {
            int origin = random.nextInt(plan.members);
            int target = random.nextInt(plan.members);
            boolean again = !ops.isEmpty() && random.nextInt(3) == 0; // join one that is there
            Op op = again ? plan.like(ops.get(random.nextInt(ops.size())), origin)
                : plan.operation(origin, target, random.nextInt(16) == 0);
            if ((op.kind == Kind.DIRECT_STORE || allowed[op.origin][op.target]) && plan.reserve(op)) {
                ops.add(op);
            }
        }
        return ops;
    }

    /** Direct stores of owners into their own parts, before they expose them; others are among the operations. */
    static List<Op> stores(Random random, int members, int most) {
        RandomPlan plan = new RandomPlan(random, members);
        List<Op> ops = new ArrayList<>();
        for (int i = random.nextInt(most + 1); i > 0; i--) {
            int member = random.nextInt(members);
            Op op = plan.operation(member, member, false);
            ops.add(new Op(Kind.DIRECT_STORE, Form.CONTIGUOUS, member, member, op.zone, null,
                new long[] {op.blocks[0]}, op.block, op.seed, true));
        }
        return ops;
    }

    private Op like(Op model, int origin) {
        boolean accumulates = model.kind == Kind.ACCUMULATE || model.kind == Kind.GET_ACCUMULATE;
        Kind kind = accumulates && model.form == Form.CONTIGUOUS && random.nextBoolean() ? Kind.GET_ACCUMULATE
            : accumulates ? Kind.ACCUMULATE : model.kind;
        return new Op(kind, model.form, kind == Kind.DIRECT_STORE ? model.target : origin, model.target,
            model.zone, model.op, model.blocks, model.block,
            random.nextLong(), false);
    }

    private Op operation(int origin, int target, boolean large) {
        Zone zone = large ? ZONES.getFirst() : ZONES.get(random.nextInt(ZONES.size()));
        Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
        boolean integers = zone.type == ElementType.INT || zone.type == ElementType.LONG;
        if (kind == Kind.COMPARE_AND_SWAP && !integers) { // which compares bits, and zeros have two forms
            kind = Kind.GET;
        }
        ReduceOp op = kind == Kind.ACCUMULATE || kind == Kind.GET_ACCUMULATE ? reduction(zone.type) : null;
        Form form = kind.ordinal() >= Kind.GET_ACCUMULATE.ordinal() ? Form.CONTIGUOUS
            : Form.values()[random.nextInt(Form.values().length)];
        int most = large ? LARGE : random.nextInt(3) == 0 ? 2_048 : 128;
        long bytes = kind == Kind.COMPARE_AND_SWAP ? zone.type.sizeInBytes()
            : GRANULE * (1L + random.nextInt(most / GRANULE));
        int count = form == Form.CONTIGUOUS ? 1 : 1 + random.nextInt(large ? 6 : 12);
        long block = count == 1 ? bytes : Math.max(GRANULE, bytes / count / GRANULE * GRANULE);
        long pitch = form == Form.CONTIGUOUS ? block : block + GRANULE * (long) random.nextInt(large ? 3 : 8);
        pitch = Math.min(pitch, zone.bytes);
        while (pitch * count > zone.bytes) {
            count--;
        }
        long first = zone.begin + GRANULE * random.nextLong((zone.bytes - pitch * count) / GRANULE + 1);
        long[] blocks = new long[count];
        for (int i = 0; i < count; i++) {
            long slack = form == Form.VECTOR ? random.nextLong((pitch - block) / GRANULE + 1) * GRANULE : 0;
            blocks[i] = first + i * pitch + slack;
        }
        return new Op(kind, form, kind == Kind.DIRECT_STORE ? target : origin, target, zone, op, blocks, block,
            random.nextLong(),
            kind != Kind.GET && kind != Kind.ACCUMULATE);
    }

    private ReduceOp reduction(ElementType type) {
        while (true) {
            ReduceOp op = ReduceOp.values()[random.nextInt(ReduceOp.values().length)];
            if (op.isDefinedFor(type)) {
                return op;
            }
        }
    }

    /** Whether the bytes are free, or shared by what may share them. */
    private boolean reserve(Op op) {
        int mine = switch (op.kind) {
            case GET -> 1;
            case ACCUMULATE, GET_ACCUMULATE -> op.isAlone || op.op == ReduceOp.REPLACE || op.op == ReduceOp.NO_OP
                ? EXCLUSIVE + ++operations : 2 + op.op.ordinal();
            default -> EXCLUSIVE + ++operations;
        };
        List<Reserved> there = reserved.get(op.target);
        for (long block : op.blocks) {
            for (Reserved each : there) {
                if (each.kind != mine && block < each.end && each.begin < block + op.block) {
                    return false;
                }
            }
        }
        for (long block : op.blocks) {
            there.add(new Reserved(block, block + op.block, mine));
        }
        return true;
    }
}

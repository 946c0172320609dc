package org.tributary.benchmarks.observe;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.tributary.benchmarks.measure.Partner;
import org.tributary.benchmarks.measure.Repeatable;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.Group;
import org.tributary.miniapps.Report;
import org.tributary.miniapps.jacobi.Jacobi;
import org.tributary.wire.shape.ReduceOp;
import picocli.CommandLine;

/** The kinds of work of the jobs that are watched, or not. */
final class Work implements AutoCloseable {
    /** Two ranks on each of two nodes. */
    static final String LAYOUT = "2,2";
    /** Lines that begin with it are for the benchmark. */
    static final String MARK = "observed: ";
    /** The work that counts begins. */
    static final String BEGIN = "BEGIN";
    /** It has ended. */
    static final String END = "END";
    static final int ORIGIN = 0;

    private final Gas gas;
    private final Batches batches;
    private final GlobalMemory memory;
    private final Group node;
    private final int target;
    private final long lengthNs;

    /**
     * Amounts of work between two looks at the clock.
     *
     * @param operations puts, or fetch-and-adds
     * @param barriers   then ranks agree whether there are more
     * @param jacobiSize of one run
     */
    record Batches(int operations, int barriers, int jacobiSize) {
    }

    /** Collective. */
    Work(Gas gas, Batches batches, double seconds) {
        this.gas = gas;
        this.batches = batches;
        this.memory = gas.allocate(batches.operations() * (long) Long.BYTES);
        this.node = gas.world().split(gas.node(), gas.rank());
        this.target = Partner.onOtherNode(gas.topology()).orElseThrow();
        this.lengthNs = (long) (seconds * TimeUnit.SECONDS.toNanos(1));
    }

    /** Collective. */
    @Override
    public void close() {
        node.close();
        memory.close();
    }

    /** Collective; of use at rank 0. A rank that has no part in it blocks. */
    double perSecond(Kind kind) throws IOException {
        gas.barrier();
        double rate = 0;
        if (kind == Kind.JACOBI) {
            rate = perSecond(gas.world(), 1, this::jacobi);
        } else if (kind == Kind.BARRIER && gas.node() == gas.nodeOf(ORIGIN)) {
            rate = perSecond(node, batches.barriers(), this::barriers);
        } else if (gas.rank() == ORIGIN) {
            rate = perSecond(null, batches.operations(), kind == Kind.PUT ? new Puts() : this::fetchAndAdds);
        }
        gas.barrier();
        return rate;
    }

    /** Collective over {@code together}, whose first rank has the clock; null for the caller alone. */
    private double perSecond(Group together, int each, Repeatable batch) throws IOException {
        long done = 0;
        boolean isEnough;
        long startNs = System.nanoTime();
        do {
            batch.once();
            done += each;
            isEnough = System.nanoTime() - startNs >= lengthNs;
            if (together != null) {
                isEnough = together.allreduce(ReduceOp.MAX, together.rank() == 0 && isEnough ? 1L : 0L) > 0;
            }
        } while (!isEnough);
        batch.finish();
        return (double) done * TimeUnit.SECONDS.toNanos(1) / (System.nanoTime() - startNs);
    }

    private final class Puts implements Repeatable {
        @Override
        public void once() {
            for (int i = 0; i < batches.operations(); i++) {
                memory.putLong(target, (long) i * Long.BYTES, i);
            }
        }

        @Override
        public void finish() {
            gas.fence(target);
        }
    }

    private void fetchAndAdds() {
        for (int i = 0; i < batches.operations(); i++) {
            memory.fetchAndAdd(target, 0, 1);
        }
    }

    private void barriers() {
        for (int i = 0; i < batches.barriers(); i++) {
            node.barrier();
        }
    }

    private void jacobi() {
        Jacobi app = new Jacobi();
        new CommandLine(app).parseArgs("--size", Integer.toString(batches.jacobiSize()));
        if (!app.run(gas, new Report(System.out, false))) {
            throw new IllegalStateException("the answer of jacobi is wrong");
        }
    }
}

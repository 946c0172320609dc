package org.tributary.benchmarks.observe;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import org.tributary.client.Gas;
import org.tributary.miniapps.Report;

/**
 * The program of the jobs that are watched, or not: does each kind of work for a while, first to warm up, and prints
 * how often a second. It ends when its standard input does: until then the launcher can be looked at.
 */
final class WatchedRank {
    private static final Work.Batches USUAL = new Work.Batches(64, 1000, 8);

    private WatchedRank() {
    }

    /** The program of every rank; its argument is how many seconds each kind of work takes. */
    public static void main(String[] arguments) throws IOException {
        try (Gas gas = Gas.attach()) {
            run(gas, USUAL, Double.parseDouble(arguments[0]), System.out);
            if (gas.rank() == Work.ORIGIN) {
                System.in.transferTo(OutputStream.nullOutputStream());
            }
            gas.barrier();
        }
    }

    /** Collective; rank 0 prints. */
    static void run(Gas gas, Work.Batches batches, double seconds, PrintStream out) throws IOException {
        Report report = new Report(out, gas.rank() == Work.ORIGIN);
        try (Work work = new Work(gas, batches, seconds)) {
            for (Kind kind : Kind.values()) {
                work.perSecond(kind);
            }
            report.line(Work.MARK + Work.BEGIN);
            for (Kind kind : Kind.values()) {
                report.line("%s%s %s", Work.MARK, kind.name(), work.perSecond(kind));
            }
            Turns.run(gas, batches, seconds, report);
            report.line(Work.MARK + Work.END);
        }
    }
}

package org.tributary.miniapps.randomaccess;

import java.util.Map;
import org.tributary.client.Gas;
import org.tributary.config.ConfigException;
import org.tributary.config.Topology;
import org.tributary.miniapps.JsonOption;
import org.tributary.miniapps.MiniApp;
import org.tributary.miniapps.Progress;
import org.tributary.miniapps.Report;
import org.tributary.wire.shape.ReduceOp;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Random updates of a distributed table, as in the HPC Challenge: {@code T[a & mask] ^= a} for a pseudo-random
 * sequence of numbers a, of which each rank takes an equal, consecutive share.
 *
 * <p>There is no remote exclusive or, and reading a word, changing it and writing it back from afar would lose
 * updates. So each rank sorts at most 1,024 updates by owner, the look-ahead that the rules allow, puts them into the
 * owners' mailboxes, and each owner applies what it receives; see {@link Mailboxes}. Nothing is lost that way,
 * so no word may be wrong, whereas the rules would permit 1 % of them to be.
 *
 * <p>Verification goes another way, lest it repeat a mistake: every rank generates the whole sequence and applies what
 * is its own, without communication. All updates having come twice, each word must be its own index again.
 */
@Command(name = "random-access", sortOptions = false,
    description = "Updates random words of a distributed table, as in the HPC Challenge: each rank sorts 1,024 updates"
        + " at a time by owner and puts them into the owners' mailboxes. Verifies by repeating the updates.")
public final class RandomAccess extends MiniApp {
    private static final int MAX_LOG2 = 40;
    /** By the benchmark's rules, of updates that other ways may lose. */
    private static final String PERMITTED = "1 %";

    @Option(names = "--table-log2", paramLabel = "K", defaultValue = "20",
        description = "The table has 2^K words of 8 bytes, over all ranks (default: ${DEFAULT-VALUE}).")
    private int log2;

    @Option(names = "--updates-per-word", paramLabel = "U", defaultValue = "4",
        description = "Updates as a multiple of the table's words (default: ${DEFAULT-VALUE}, the benchmark's).")
    private int updatesPerWord;

    @Mixin
    private JsonOption json = new JsonOption();

    public static void main(String[] arguments) {
        main(new RandomAccess(), arguments);
    }

    @Override
    public void checkLayout(Topology topology) {
        if (log2 < 1 || log2 > MAX_LOG2 || updatesPerWord < 1) {
            throw new ConfigException("--table-log2 must be between 1 and " + MAX_LOG2
                + ", --updates-per-word positive: " + log2 + ", " + updatesPerWord);
        }
        if (updatesPerWord > Long.MAX_VALUE >> log2) {
            throw new ConfigException("--updates-per-word " + updatesPerWord + " with --table-log2 " + log2
                + " makes more updates than can be counted; --updates-per-word "
                + (Long.MAX_VALUE >> log2) + " would fit");
        }
    }

    @Override
    public boolean run(Gas gas, Report out) {
        long updates = (long) updatesPerWord << log2;
        out.line("random-access: 2^%d words, %d updates, %d ranks on %d nodes", log2, updates, gas.rankCount(),
            gas.nodeCount());
        try (Table table = new Table(gas, log2); Mailboxes mailboxes = new Mailboxes(gas)) {
            double seconds = gas.world().allreduce(ReduceOp.MAX, update(gas, out, table, mailboxes, updates));
            out.line("%.3f s, %.6f GUPS", seconds, updates / seconds * 1e-9);
            Map<String, Object> figures = JsonOption.figures("random-access", gas);
            figures.put("tableLog2", log2);
            figures.put("updates", updates);
            figures.put("seconds", seconds);
            figures.put("gigaUpdatesPerSecond", updates / seconds * 1e-9);
            return json.write(gas, figures, verify(gas, out, table, updates));
        }
    }

    /** Generates this rank's share and delivers it; every rank goes through the same number of rounds. */
    private static double update(Gas gas, Report out, Table table, Mailboxes mailboxes, long updates) {
        long first = share(updates, gas.rank(), gas.rankCount());
        long left = share(updates, gas.rank() + 1, gas.rankCount()) - first;
        long rounds = Math.ceilDiv(Math.ceilDiv(updates, gas.rankCount()), (long) Mailboxes.LOOK_AHEAD);
        RandomStream stream = new RandomStream(first);
        gas.barrier();
        Progress progress = out.progress("random-access", rounds);
        long startNs = System.nanoTime();
        for (long round = 0; round < rounds; round++) {
            progress.at(round);
            int count = (int) Math.min(left, Mailboxes.LOOK_AHEAD);
            for (int i = 0; i < count; i++) {
                long update = stream.next();
                if (table.isOwn(update)) {
                    table.apply(update);
                } else {
                    mailboxes.add(table.owner(update), update);
                }
            }
            left -= count;
            mailboxes.deliver();
            mailboxes.receive(table);
        }
        gas.barrier();
        return (System.nanoTime() - startNs) * 1e-9;
    }

    /** Where a rank's share of the sequence begins: shares differ by at most 1. */
    private static long share(long updates, int rank, int ranks) {
        return updates / ranks * rank + Math.min(rank, updates % ranks);
    }

    /** Whether no word is wrong, the same on every rank. Collective. */
    static boolean verify(Gas gas, Report out, Table table, long updates) {
        RandomStream stream = new RandomStream(0);
        Progress progress = out.progress("random-access, verification", updates);
        for (long i = 0; i < updates; i++) {
            if (i % Mailboxes.LOOK_AHEAD == 0) {
                progress.at(i);
            }
            long update = stream.next();
            if (table.isOwn(update)) {
                table.apply(update);
            }
        }
        long errors = gas.world().allreduce(ReduceOp.SUM, table.errors());
        long words = table.words();
        boolean right = errors == 0;
        out.line("verification: %d of %d words wrong (the benchmark's rules permit %s): %s", errors, words, PERMITTED,
            right ? "passed" : "FAILED");
        return right;
    }
}

package org.tributary.benchmarks.miniapps;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.tributary.benchmarks.Benchmark;
import org.tributary.benchmarks.measure.Sample;
import org.tributary.benchmarks.results.Column;
import org.tributary.benchmarks.results.Run;
import org.tributary.benchmarks.results.Table;
import org.tributary.client.Gas;
import org.tributary.client.connection.ChannelTraffic;
import org.tributary.config.ConfigException;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Topology;
import org.tributary.miniapps.MiniApp;
import org.tributary.miniapps.Progress;
import org.tributary.miniapps.Report;
import org.tributary.miniapps.fock.Fock;
import org.tributary.miniapps.halo.Halo;
import org.tributary.miniapps.jacobi.Jacobi;
import org.tributary.miniapps.lu.Lu;
import org.tributary.miniapps.matmul.Matmul;
import org.tributary.miniapps.md.Md;
import org.tributary.miniapps.multigrid.Multigrid;
import org.tributary.miniapps.randomaccess.RandomAccess;
import org.tributary.miniapps.scf.Scf;
import org.tributary.wire.shape.ReduceOp;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine;

/** {@code tributary bench mini-apps}. */
@Command(name = "mini-apps", mixinStandardHelpOptions = true, showDefaultValues = true,
    description = "Times whole runs of mini-applications with their usual sizes, the verification included.")
public final class MiniApps extends Benchmark {
    private static final Map<String, Supplier<MiniApp>> APPS = Map.of("fock", Fock::new, "halo", Halo::new, "jacobi",
        Jacobi::new, "lu", Lu::new, "matmul", Matmul::new, "md", Md::new, "multigrid", Multigrid::new,
        "random-access", RandomAccess::new, "scf", Scf::new);

    @Option(names = "--apps", split = ",", paramLabel = "APP", description = "which of fock, halo, jacobi, lu, matmul,"
        + " md, multigrid, random-access and scf (default: all that the job has the right number of ranks for)")
    private List<String> apps;

    @Option(names = "--repeat", paramLabel = "N", defaultValue = "5", description = "how often to run each")
    private int repeat;

    /** The program of every rank. */
    public static void main(String[] arguments) {
        main(new MiniApps(), arguments);
    }

    @Override
    public Integer call() throws IOException {
        if (repeat < 1 || apps != null && !APPS.keySet().containsAll(apps)) {
            throw refusal("--repeat must be at least 1, and --apps some of "
                + APPS.keySet().stream().sorted().toList());
        }
        List<String> wanted = wanted(JobEnvironment.forRank(System.getenv()).topology());
        try (Gas gas = Gas.attach()) {
            Run run = gas.rank() == 0 ? run(gas.topology()) : null;
            Table table = Table.of(null, Column.words("program"), Column.of("first", "s"), Column.of("median", "s"),
                Column.of("shortest", "s"));
            Progress progress = Progress.of("mini-apps", (long) wanted.size() * repeat, run != null);
            for (String app : wanted) {
                long before = (long) wanted.indexOf(app) * repeat;
                double[] seconds = new double[repeat];
                ChannelTraffic trafficBefore = gas.channelTraffic();
                for (int i = 0; i < repeat; i++) {
                    progress.at(before + i);
                    seconds[i] = time(app, gas);
                }
                Optional<String> channels = channels(gas, trafficBefore);
                double first = seconds[0];
                Arrays.sort(seconds);
                table.row(app, first, Sample.median(seconds), seconds[0]);
                if (run != null) {
                    System.out.printf(Locale.ROOT, "%-14s first %.3f s, median %.3f s, shortest %.3f s%n", app, first,
                        Sample.median(seconds), seconds[0]);
                    channels.ifPresent(text -> System.out.println(app + " channels " + text));
                }
            }
            if (run != null) {
                run.write(System.out, List.of(table), "Of " + repeat + " runs of each program, one after another in the"
                    + " same processes. The first one's time is mostly that of the compiler.");
            }
        }
        return 0;
    }

    /** How the requests of all ranks have left since {@code before}, where the network adapter may carry them. */
    private static Optional<String> channels(Gas gas, ChannelTraffic before) {
        ChannelTraffic own = gas.channelTraffic().since(before);
        long[] all = {own.handOvers(), own.byChannel(), own.waited()};
        gas.world().allreduce(ReduceOp.SUM, all);
        return all[0] == 0 ? Optional.empty() : Optional.of(String.format(Locale.ROOT,
            "hand-overs of requests %d, by channels %d, of which %d waited for room", all[0], all[1], all[2]));
    }

    private List<String> wanted(Topology topology) {
        if (apps == null) {
            return APPS.keySet().stream().sorted().filter(name -> misfit(name, topology).isEmpty()).toList();
        }
        for (String app : apps) {
            misfit(app, topology).ifPresent(problem -> {
                throw refusal(problem);
            });
        }
        return apps;
    }

    /** Why a program cannot run with its usual options on such a layout, if so. */
    private static Optional<String> misfit(String name, Topology topology) {
        try {
            app(name).checkLayout(topology);
            return Optional.empty();
        } catch (ConfigException e) {
            return Optional.of(e.getMessage());
        }
    }

    /** With its usual options. */
    private static MiniApp app(String name) {
        MiniApp app = APPS.get(name).get();
        new CommandLine(app).setCaseInsensitiveEnumValuesAllowed(true).parseArgs();
        return app;
    }

    private static double time(String name, Gas gas) {
        MiniApp app = app(name);
        gas.barrier();
        long startNs = System.nanoTime();
        if (!app.runChecked(gas, new Report(System.out, false))) {
            throw new IllegalStateException(name + " has failed, or its answer is wrong");
        }
        return (System.nanoTime() - startNs) * 1e-9;
    }
}

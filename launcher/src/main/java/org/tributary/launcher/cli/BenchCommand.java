package org.tributary.launcher.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.tributary.config.ConfigException;
import org.tributary.config.Nearest;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.launcher.job.JavaCommand;
import org.tributary.launcher.job.JobPlan;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** Runs one of the benchmarks as a job. */
@Command(name = "bench", sortOptions = false,
    description = "Runs a benchmark as a job of two nodes, or lists the benchmarks.",
    customSynopsis = "tributary bench [BENCHMARK [OPTIONS] [OPTIONS OF THE BENCHMARK]]")
final class BenchCommand implements Callable<Integer> {
    private static final int DEFAULT_NODES = 2;

    @Spec
    private CommandSpec spec;

    @Mixin
    private JobOptions job;

    @Parameters(index = "0", arity = "0..1", paramLabel = "BENCHMARK",
        description = "Its name. Options that are not listed here are the benchmark's own.")
    private String name;

    @Option(names = {"-h", "--help"}, description = "Show this help, and that of the benchmark if one is named.")
    private boolean help;

    @Unmatched
    private List<String> arguments = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        Programs benchmarks = Programs.load(Programs.BENCH);
        if (help && name == null) {
            spec.commandLine().usage(spec.commandLine().getOut());
            return 0;
        }
        if (name == null && arguments.isEmpty()) {
            spec.commandLine().getOut().print(benchmarks.list());
            spec.commandLine().getOut().flush();
            return 0;
        }
        String wanted = name == null ? arguments.getFirst() : name;
        Programs.Program benchmark = benchmarks.byName().get(wanted);
        if (benchmark == null) {
            throw new ConfigException("unknown benchmark '" + wanted + "'"
                + Nearest.hint(wanted, benchmarks.byName().keySet()));
        }
        if (help) {
            return explain(benchmark);
        }
        Settings settings = job.settings().settings();
        Topology topology = job.topology(DEFAULT_NODES);
        List<String> command = new ArrayList<>(JavaCommand.rank(benchmark.mainClass(), "", job.jvmOptions()));
        command.addAll(arguments);
        return JobRunner.run(
            new JobPlan(topology, settings, JavaCommand.server(), command, Map.of(), false, 0, job.verbose()));
    }

    /** The benchmark explains its own options, outside of any job; those of the job come after. */
    private int explain(Programs.Program benchmark) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(JavaCommand.rank(benchmark.mainClass(), "", List.of()));
        command.add("--help");
        int code = new ProcessBuilder(command).inheritIO().start().waitFor();
        PrintWriter out = spec.commandLine().getOut();
        out.println();
        spec.commandLine().usage(out);
        out.flush();
        return code;
    }
}

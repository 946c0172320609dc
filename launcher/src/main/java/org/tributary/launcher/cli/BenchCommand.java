package org.tributary.launcher.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.tributary.config.ConfigException;
import org.tributary.config.Nearest;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.launcher.job.JavaCommand;
import org.tributary.launcher.job.JobPlan;
import org.tributary.launcher.job.Libraries;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;
import picocli.CommandLine.UnmatchedArgumentException;

/** Runs one of the benchmarks as a job. */
@Command(name = "bench", sortOptions = false,
    description = "Runs a benchmark as a job of two nodes, or lists the benchmarks; or makes pages of their results.",
    customSynopsis = {"tributary bench [BENCHMARK [OPTIONS] [OPTIONS OF THE BENCHMARK]]",
        "tributary bench report [--results DIR] [--out DIR]"})
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
        Programs tools = Programs.load(Programs.TOOLS);
        if (help && name == null) {
            spec.commandLine().usage(spec.commandLine().getOut());
            return 0;
        }
        if (name == null && arguments.isEmpty()) {
            return Programs.answerWithoutName(spec.commandLine(), "benchmark", benchmarks, tools);
        }
        if (name != null && tools.byName().containsKey(name)) {
            return runTool(tools.byName().get(name));
        }
        Programs.Program benchmark = name == null ? null : benchmarks.byName().get(name);
        if (benchmark == null) {
            if (name == null || optionComesFirst()) {
                throw new UnmatchedArgumentException(spec.commandLine(), arguments);
            }
            throw new ConfigException("unknown benchmark '" + name + "'"
                + Nearest.hint(name, benchmarks.byName().keySet()));
        }
        if (help) {
            return explain(benchmark);
        }
        JobOptions.JobPlace place = job.place(DEFAULT_NODES);
        Topology topology = place.topology();
        Settings settings = job.settings(place);
        Optional<Integer> answered = place.isMeant()
            ? ProgramArguments.check(benchmark, arguments, spec, topology) : Optional.empty();
        if (answered.isPresent()) {
            return answered.get();
        }
        List<String> command = new ArrayList<>(
            JavaCommand.rank(Libraries.ALL, benchmark.mainClass(), "", job.jvmOptions()));
        command.addAll(arguments);
        return JobRunner.run(
            new JobPlan(topology, settings, JavaCommand.server(topology), command, job.variables(), false, 0,
                job.verbose()),
            place, 0);
    }

    private int runTool(Programs.Program tool) {
        CommandLine command = ProgramArguments.command(tool, spec).orElseThrow();
        spec.commandLine().getParseResult().matchedOptions().stream().map(OptionSpec::longestName)
            .filter(option -> !option.equals("--help")).findFirst().ifPresent(option -> {
                throw new ParameterException(command, name + " starts no job: leave out " + option);
            });
        List<String> given = new ArrayList<>(spec.commandLine().getParseResult().originalArgs());
        given.remove(spec.name());
        given.remove(name);
        return command.setParameterExceptionHandler(UsageErrors::handle)
            .setExecutionExceptionHandler(UsageErrors::handle).execute(given.toArray(String[]::new));
    }

    /** Whether an argument comes before the name, which is then the value of an option that does not exist. */
    private boolean optionComesFirst() {
        List<String> words = spec.commandLine().getParseResult().originalArgs();
        return !arguments.isEmpty() && words.indexOf(arguments.getFirst()) < words.indexOf(name);
    }

    /** The options of the benchmark, and those of any job after them. */
    private int explain(Programs.Program benchmark) {
        PrintWriter out = spec.commandLine().getOut();
        ProgramArguments.command(benchmark, spec).ifPresent(command -> command.usage(out));
        out.println();
        spec.commandLine().usage(out);
        out.flush();
        return 0;
    }
}

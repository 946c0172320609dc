package org.tributary.launcher.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The script by which shells complete: picocli's for this command, in which programs and benchmarks stand as
 * subcommands with options of their own, and around it a function for what picocli does not know ({@code completion.sh}
 * among the resources).
 */
final class Completion {
    private static final Pattern WORDS = Pattern.compile("[a-z]+([|][a-z]+)+");

    private Completion() {
    }

    /** Adds the programs to {@code root}, which runs nothing more. */
    static String script(CommandLine root) {
        CommandLine run = root.getSubcommands().get("run");
        CommandLine bench = root.getSubcommands().get("bench");
        List.of(run, bench).forEach(command -> adapt(command.getCommandSpec()));
        String valueOptions = bench.getCommandSpec().options().stream().filter(Completion::hasValue)
            .flatMap(Completion::names).collect(Collectors.joining(" "));
        String runValueOptions = run.getCommandSpec().options().stream().filter(Completion::hasValue)
            .flatMap(Completion::names).collect(Collectors.joining(" "));
        List<OptionSpec> ofAnyBenchmark = List.copyOf(bench.getCommandSpec().options());
        addPrograms(run, Programs.RUN, List.of());
        addPrograms(bench, Programs.BENCH, ofAnyBenchmark);
        addPrograms(bench, Programs.TOOLS, List.of());
        return AutoComplete.bash("tributary", root) + wrapper()
            .replace("@RUN_OPTIONS@", runValueOptions).replace("@BENCH_OPTIONS@", valueOptions)
            .replace("@PROGRAMS@", String.join(" ", run.getSubcommands().keySet()))
            .replace("@BENCHMARKS@", String.join(" ", bench.getSubcommands().keySet()));
    }

    private static boolean hasValue(OptionSpec option) {
        return option.arity().min() > 0;
    }

    /**
     * A value that may be left out is attached to its option, and picocli would take the next word for it. Words that
     * the help names as values are offered as they stand there, not as the names of constants.
     */
    private static void adapt(CommandSpec spec) {
        for (OptionSpec option : List.copyOf(spec.options())) {
            if (!hasValue(option) && option.arity().max() > 0) {
                replace(spec, option, OptionSpec.builder(option.names()).arity("0").description(option.description()));
            } else if (WORDS.matcher(option.paramLabel()).matches()) {
                replace(spec, option, OptionSpec.builder(option)
                    .completionCandidates(List.of(option.paramLabel().split("\\|"))));
            }
        }
    }

    private static void replace(CommandSpec spec, OptionSpec old, OptionSpec.Builder by) {
        spec.remove(old);
        spec.addOption(by.build());
    }

    private static Stream<String> names(OptionSpec option) {
        return Stream.of(option.names());
    }

    private static void addPrograms(CommandLine starter, String resource, List<OptionSpec> alsoTaken) {
        Programs.load(resource).byName().forEach((name, program) -> {
            CommandLine command = ProgramArguments.command(program, starter.getCommandSpec())
                .orElseGet(() -> new CommandLine(CommandSpec.create()));
            CommandSpec spec = command.getCommandSpec();
            adapt(spec);
            alsoTaken.stream().filter(option -> names(option).noneMatch(spec.optionsMap()::containsKey))
                .forEach(option -> spec.addOption(OptionSpec.builder(option).build()));
            starter.addSubcommand(name, command);
        });
    }

    private static String wrapper() {
        try (InputStream in = Completion.class.getResourceAsStream("completion.sh")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

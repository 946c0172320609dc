package org.tributary.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.tributary.benchmarks.job.LauncherCommand;
import org.tributary.benchmarks.results.Run;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.miniapps.CommandLines;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A program that measures: subclasses are picocli commands, which every rank of a job calls. */
public abstract class Benchmark implements Callable<Integer> {
    private static final String JSON = "--json";

    @Spec
    private CommandSpec spec;

    @Option(names = JSON, paramLabel = "FILE", order = Integer.MAX_VALUE,
        description = "where to write the results, of which 'tributary bench report' makes a page")
    private Path json;

    @Option(names = "--aims", order = Integer.MAX_VALUE,
        description = "print also which results meet the aims that the developers of Tributary have set themselves")
    private boolean aims;

    /** The body of {@code main}. */
    protected static void main(Benchmark benchmark, String... arguments) {
        System.exit(CommandLines.of("tributary bench", benchmark).execute(arguments));
    }

    /** Explains why the options cannot be used. */
    protected final ParameterException refusal(String reason) {
        return new ParameterException(spec.commandLine(), reason);
    }

    /** For a benchmark that starts jobs of its own. */
    protected final LauncherCommand launcherOfThisJob() {
        LauncherCommand launcher = LauncherCommand.ofThisJob();
        if (launcher == null) {
            throw refusal("only 'tributary bench' can start it: it starts launchers like its own");
        }
        return launcher;
    }

    /** That of the command in the job of the calling process. */
    protected final Run run(Topology topology) throws IOException {
        return new Run(json, aims, spec.name(), String.join(" ", spec.usageMessage().description()),
            command(topology, Settings.builder().environment(System.getenv()).build()));
    }

    /** As it could be given again. */
    private String command(Topology topology, Settings settings) {
        List<String> words = new ArrayList<>(List.of("./tributary", "bench", spec.name(), "--layout",
            topology.toString()));
        List<Settings.Entry> defaults = Settings.defaults().describe();
        List<Settings.Entry> entries = settings.describe();
        for (int i = 0; i < entries.size(); i++) {
            if (!entries.get(i).value().equals(defaults.get(i).value())) {
                words.addAll(List.of("--set", entries.get(i).key() + "=" + entries.get(i).value()));
            }
        }
        List<String> own = spec.commandLine().getParseResult().originalArgs();
        for (int i = 0; i < own.size(); i++) {
            if (own.get(i).equals(JSON)) {
                i++; // and its value
            } else if (!own.get(i).startsWith(JSON + "=")) {
                words.add(own.get(i));
            }
        }
        return String.join(" ", words);
    }
}

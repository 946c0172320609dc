package org.tributary.benchmarks.results;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The option {@code --json} of every benchmark. */
public final class JsonOption {
    private static final String NAME = "--json";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = NAME, paramLabel = "FILE",
        description = "where to write the results, of which 'tributary bench report' makes a page")
    private Path file;

    /** That of the command in the job of the calling process. */
    public Run run(Topology topology) throws IOException {
        return new Run(file, spec.name(), String.join(" ", spec.usageMessage().description()),
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
            if (own.get(i).equals(NAME)) {
                i++; // and its value
            } else if (!own.get(i).startsWith(NAME + "=")) {
                words.add(own.get(i));
            }
        }
        return String.join(" ", words);
    }
}

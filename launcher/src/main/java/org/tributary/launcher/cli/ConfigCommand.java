package org.tributary.launcher.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.tributary.config.Json;
import org.tributary.config.Settings.Entry;
import org.tributary.launcher.node.LoopsHere;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows what a job started with the same options would work with. */
@Command(name = "config", mixinStandardHelpOptions = true, versionProvider = Version.class,
    description = "Prints the settings in force and where each came from.")
final class ConfigCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private SettingsOptions settings;

    @Option(names = "--json", description = "Print a JSON array instead of a table.")
    private boolean json;

    @Override
    public Integer call() {
        List<Entry> entries = settings.settings().describe();
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(entries.stream().map(ConfigCommand::json).collect(Collectors.joining(",\n", "[\n", "\n]")));
        } else {
            int keys = entries.stream().mapToInt(entry -> entry.key().length()).max().orElse(0);
            int values = entries.stream().mapToInt(entry -> entry.value().length()).max().orElse(0);
            entries.forEach(entry -> out.printf("%-" + keys + "s = %-" + values + "s  # %s%n",
                entry.key(), entry.value(), entry.source()));
            out.printf("# event loops of a server on this machine (server.threads): %s%n",
                LoopsHere.describe(settings.settings()));
        }
        out.flush();
        return 0;
    }

    private static String json(Entry entry) {
        return "  {\"key\": " + Json.quote(entry.key()) + ", \"value\": " + Json.quote(entry.value())
            + ", \"source\": " + Json.quote(entry.source()) + ", \"doc\": " + Json.quote(entry.doc()) + "}";
    }
}

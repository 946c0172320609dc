package org.tributary.launcher.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tributary.config.ConfigException;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.cooperation.CooperationOptions;
import picocli.CommandLine.Option;

/** The options of every command that has settings. */
final class SettingsOptions {
    @Option(names = "--config", paramLabel = "FILE", description = "A file of settings, one key = value a line.")
    private Path config;

    @Option(names = "--set", paramLabel = "KEY=VALUE", completionCandidates = SettingKeys.class,
        description = "One setting; wins over file and environment. Repeatable. 'tributary config' lists the keys.")
    private List<String> assignments = new ArrayList<>();

    /** Throws {@link org.tributary.config.ConfigException} with all problems of all sources. */
    Settings settings() {
        return builder().build();
    }

    /** The same for a job of that layout, perhaps all on this machine, with all that does not fit it. */
    Settings settings(Topology topology, boolean oneMachine) {
        return builder().build(settings -> check(settings, topology, oneMachine));
    }

    private static void check(Settings settings, Topology topology, boolean oneMachine) {
        List<String> problems = new ArrayList<>(oneMachine ? settings.portProblems(topology.nodeCount()) : List.of());
        try {
            CooperationOptions.of(settings, topology);
        } catch (ConfigException e) {
            problems.addAll(e.problems());
        }
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
    }

    private Settings.Builder builder() {
        Settings.Builder builder = Settings.builder();
        if (config != null) {
            builder.file(config);
        }
        builder.environment(System.getenv());
        assignments.forEach(builder::set);
        return builder;
    }
}

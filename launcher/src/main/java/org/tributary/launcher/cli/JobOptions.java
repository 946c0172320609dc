package org.tributary.launcher.cli;

import java.util.ArrayList;
import java.util.List;
import org.tributary.config.ConfigException;
import org.tributary.config.Topology;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of every command that starts a job. */
final class JobOptions {
    @Mixin
    private SettingsOptions settings;

    @Option(names = "--nodes", paramLabel = "N", description = "How many nodes, each with a server of its own.")
    private Integer nodes;

    @Option(names = "--ranks-per-node", paramLabel = "M", description = "How many ranks each node has (default: 1).")
    private Integer ranksPerNode;

    @Option(names = "--layout", paramLabel = "LAYOUT",
        description = "Instead of both: the node of each rank. A list of [nodes*]ranks, such as 3,2,2 or 2*4,1, is"
            + " block order, cyclic:2*4 deals ranks to the nodes in turn, cyclic(2):2*4 two at a time, and"
            + " map:2*0,1,0 lists the nodes of the ranks.")
    private String layout;

    @Option(names = "--jvm-option", paramLabel = "OPTION",
        description = "An option for the JVM of each rank. Repeatable.")
    private List<String> jvmOptions = new ArrayList<>();

    @Option(names = "--verbose", description = "Say what is started and ended, and when.")
    private boolean verbose;

    SettingsOptions settings() {
        return settings;
    }

    List<String> jvmOptions() {
        return jvmOptions;
    }

    boolean verbose() {
        return verbose;
    }

    Topology topology(int defaultNodes) {
        if (layout == null) {
            return Topology.uniform(nodes == null ? defaultNodes : nodes, ranksPerNode == null ? 1 : ranksPerNode);
        }
        if (nodes != null || ranksPerNode != null) {
            throw new ConfigException("--layout says how many nodes and ranks there are;"
                + " leave out --nodes and --ranks-per-node");
        }
        return Topology.parse(layout);
    }
}

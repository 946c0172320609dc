package org.tributary.launcher.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.tributary.config.ConfigException;
import org.tributary.config.JobVariables;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.launcher.bind.BindPolicy;
import org.tributary.launcher.host.Host;
import org.tributary.launcher.host.HostList;
import org.tributary.launcher.host.HostSource;
import org.tributary.launcher.host.Hosts;
import org.tributary.launcher.job.Job;
import org.tributary.launcher.job.LineSink;
import org.tributary.launcher.trace.TraceFolder;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of every command that starts a job. */
final class JobOptions {
    @Mixin
    private SettingsOptions settings;

    @Mixin
    private HostOptions hosts;

    @Mixin
    private DashboardOptions dashboard;

    @Option(names = "--nodes", paramLabel = "N", description = "How many nodes, each with a server of its own.")
    private Integer nodes;

    @Option(names = "--ranks-per-node", paramLabel = "M", description = "How many ranks each node has (default: 1).")
    private Integer ranksPerNode;

    @Option(names = "--layout", paramLabel = "LAYOUT",
        description = "Instead of both: the node of each rank. A list of [nodes*]ranks, such as 3,2,2 or 2*4,1, is"
            + " block order, cyclic:2*4 deals ranks to the nodes in turn, cyclic(2):2*4 two at a time, and"
            + " map:2*0,1,0 lists the nodes of the ranks.")
    private String layout;

    @Option(names = "--bind", paramLabel = "none|core|numa", defaultValue = "AUTO",
        description = "Bind each rank to a core, or to the cores of a NUMA node, and leave a core to each event"
            + " loop of the server (default: numa on machines with several NUMA nodes that have room, else none). A"
            + " host that has more ranks than cores binds none, and says so.")
    private BindPolicy bind;

    @Option(names = "--jvm-option", paramLabel = "OPTION",
        description = "An option for the JVM of each rank. Repeatable.")
    private List<String> jvmOptions = new ArrayList<>();

    @Option(names = "--trace", paramLabel = "DIR",
        description = "Record the operations and waits of each rank in this folder, in 16 MiB a rank; 'tributary trace"
            + " DIR' reads them. On several hosts each rank writes to the folder of that name on its host, and when the"
            + " job has ended, all of it is copied to this one.")
    private Path trace;

    @Option(names = "--verbose", description = "Say what is started and ended, and when.")
    private boolean verbose;

    /** Settings of a job there; a {@link ConfigException} has what is wrong with the place as well. */
    Settings settings(JobPlace place) {
        try {
            return place.isMeant() ? settings.settings(place.topology(), place.hosts().isEmpty())
                : settings.settings();
        } catch (ConfigException e) {
            throw new ConfigException(Stream.concat(place.problems().values().stream().flatMap(List::stream),
                e.problems().stream()).toList());
        }
    }

    List<String> jvmOptions() {
        return jvmOptions;
    }

    boolean verbose() {
        return verbose;
    }

    /** The variables by which ranks learn where to record, and how to show progress. */
    Map<String, String> variables() {
        Map<String, String> variables = new HashMap<>();
        if (LineSink.ofStandardError().isTerminal()) {
            variables.put(JobVariables.PROGRESS, JobVariables.PASSING);
        }
        if (trace != null) {
            variables.put(JobVariables.TRACE, traceFolder().toString());
        }
        return variables;
    }

    private Path traceFolder() {
        return trace.toAbsolutePath().normalize();
    }

    /** Why this machine cannot take the traces of so many ranks; agents find that out on hosts of their own. */
    private Optional<String> traceProblem(int ranksHere) {
        return trace == null ? Optional.empty() : TraceFolder.problem(traceFolder(), ranksHere);
    }

    /** Nodes and ranks, and where they run. */
    JobPlace place(int defaultNodes) {
        if (layout != null && (nodes != null || ranksPerNode != null)) {
            throw new ConfigException("--layout says how many nodes and ranks there are;"
                + " leave out --nodes and --ranks-per-node");
        }
        Optional<HostOptions.Chosen> chosen = hosts.chosen(System.getenv());
        if (chosen.isEmpty()) {
            Topology topology = layout != null ? Topology.parse(layout)
                : Topology.uniform(nodes == null ? defaultNodes : nodes, ranksPerNode == null ? 1 : ranksPerNode);
            return new JobPlace(topology, Map.of(), traceProblem(topology.rankCount()), Optional.empty(), bind,
                dashboard);
        }
        HostList list = chosen.get().list();
        Hosts.Fitted fitted = fitted(list, chosen.get().source());
        Optional<String> traceProblem = traceProblem(0); // what hosts record is mostly empty
        return new JobPlace(fitted.topology(), Map.of(HostList.SUBJECT, list.problems(), Job.LAYOUT, fitted.problems()),
            traceProblem, Optional.of(chosen.get().placement(fitted.topology())), bind, dashboard);
    }

    /** Hosts that a list with mistakes names can be asked for problems of their own; a layout, if all have names. */
    private Hosts.Fitted fitted(HostList list, HostSource source) {
        List<Host> hosts = list.hosts().isEmpty() ? list.orThrow() : list.hosts();
        Topology oneEach = Topology.uniform(hosts.size(), 1);
        if (!list.hasAll()) {
            return new Hosts.Fitted(oneEach, List.of());
        }
        try {
            return layout != null ? Hosts.fit(Topology.parse(layout), hosts, source)
                : Hosts.layout(hosts, nodes, ranksPerNode, source);
        } catch (ConfigException e) {
            if (list.problems().isEmpty()) {
                throw e;
            }
            return new Hosts.Fitted(oneEach, e.problems());
        }
    }

    /**
     * Where a job runs: on this machine, unless there are hosts; and whether a page shows it.
     *
     * @param problems     by whose they are: of the list of hosts, and of a layout that does not fit them; then nothing
     *                     of the job starts
     * @param traceProblem why this machine cannot take what ranks or hosts record; nothing starts then either
     */
    record JobPlace(Topology topology, Map<String, List<String>> problems, Optional<String> traceProblem,
        Optional<HostOptions.Placement> hosts, BindPolicy bind, DashboardOptions dashboard) {
        /** Whether the hosts and the layout are those that the user has meant. */
        boolean isMeant() {
            return problems.values().stream().allMatch(List::isEmpty);
        }
    }
}

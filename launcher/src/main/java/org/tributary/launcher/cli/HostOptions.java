package org.tributary.launcher.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.tributary.config.ConfigException;
import org.tributary.config.Topology;
import org.tributary.launcher.host.Host;
import org.tributary.launcher.host.HostList;
import org.tributary.launcher.host.HostSource;
import org.tributary.launcher.host.Hosts;
import org.tributary.launcher.link.LaunchCommand;
import picocli.CommandLine.Option;

/** On which hosts a job runs, and how it gets there. */
final class HostOptions {
    @Option(names = "--hosts", paramLabel = "HOST[:N],...",
        description = "These hosts; those of a job to be started each with a node of N ranks, for example a:4,b:4.")
    private String hosts;

    @Option(names = "--hostfile", paramLabel = "FILE",
        description = "The same from a file, as for Open MPI ('a slots=4') or MPICH ('a:4').")
    private Path hostfile;

    @Option(names = "--launch-agent", paramLabel = "COMMAND",
        description = "How a command is started on another host; {host} stands for its name (default: ssh; srun inside"
            + " a Slurm allocation that has all of them), for example 'kubectl exec -i {host} --'.")
    private String launchAgent;

    /** Hosts of a job, and the way to them. */
    record Placement(List<String> hosts, LaunchCommand launch) {
    }

    /** Hosts that the options name, or else a batch system. */
    Optional<Chosen> chosen(Map<String, String> environment) {
        Optional<HostList> named = named();
        if (named.isPresent()) {
            return chosenByName(named, environment);
        }
        Optional<List<Host>> ofSlurm = Hosts.ofSlurm(environment);
        return ofSlurm.isPresent() ? chosen(ofSlurm.map(HostOptions::whole), HostSource.SLURM, () -> true)
            : chosen(Hosts.ofPbs(environment).map(HostOptions::whole), HostSource.PBS, () -> false);
    }

    private static HostList whole(List<Host> hosts) {
        return new HostList(hosts, List.of(), true);
    }

    /** Only those that the options name. */
    Optional<Chosen> chosenByName(Map<String, String> environment) {
        return chosenByName(named(), environment);
    }

    private Optional<Chosen> chosenByName(Optional<HostList> named, Map<String, String> environment) {
        return chosen(named, hosts != null ? HostSource.OPTION : HostSource.FILE,
            () -> Hosts.areOfSlurm(named.orElseThrow().hosts(), environment));
    }

    /** {@code areOfSlurm} may ask Slurm, and is asked only where it matters. */
    private Optional<Chosen> chosen(Optional<HostList> found, HostSource source, BooleanSupplier areOfSlurm) {
        if (found.isEmpty() && launchAgent != null) {
            throw new ConfigException("--launch-agent starts agents on hosts, and there are none; name them with"
                + " --hosts or --hostfile");
        }
        return found.map(to -> new Chosen(to, source, launch(areOfSlurm)));
    }

    private Optional<HostList> named() {
        if (hosts != null && hostfile != null) {
            throw new ConfigException("--hosts and --hostfile both name the hosts; leave out one");
        }
        return hosts != null ? Optional.of(HostList.parse(hosts)) : Optional.ofNullable(hostfile).map(HostList::file);
    }

    private LaunchCommand launch(BooleanSupplier areOfSlurm) {
        if (launchAgent != null) {
            return LaunchCommand.parse(launchAgent);
        }
        return areOfSlurm.getAsBoolean() ? LaunchCommand.srun() : LaunchCommand.ssh();
    }

    /** Hosts to choose from. */
    record Chosen(HostList list, HostSource source, LaunchCommand launch) {
        /** All of them; a {@link ConfigException} when something is wrong with how they are named. */
        List<Host> hosts() {
            return list.orThrow();
        }

        Placement placement(Topology topology) {
            return new Placement(list.hosts().stream().limit(topology.nodeCount()).map(Host::name).toList(), launch);
        }
    }
}

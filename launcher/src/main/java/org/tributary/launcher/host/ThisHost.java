package org.tributary.launcher.host;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.tributary.config.HostFacts;
import org.tributary.config.JobVariables;
import org.tributary.config.Settings;
import org.tributary.config.Shortage;
import org.tributary.config.Topology;
import org.tributary.launcher.link.Command;
import org.tributary.launcher.node.ServerPorts;
import org.tributary.launcher.node.SourceAddressSelection;
import org.tributary.launcher.trace.TraceFolder;
import org.tributary.server.FirstFiles;

/**
 * The host of an agent.
 *
 * @param identity of the machine: equal for two of its names
 */
record ThisHost(String name, String identity) {
    private static final String BIND_ADDRESS = "server.bind-address";
    /** Also for a small node. */
    private static final long LEAST_ROOM = 1 << 20;
    /** Of {@code SSH_CONNECTION}: client and its port, server and its port. */
    private static final int SSH_SERVER = 2;

    static ThisHost get() {
        return new ThisHost(HostFacts.name(), HostFacts.machine(Path.of("/dev/shm")));
    }

    /** Settings of the job, with the address on which the server of this host listens. */
    Settings settings(Map<String, String> given, List<String> peers) {
        Settings.Builder settings = Settings.builder().environment(given);
        Settings asked = settings.build();
        boolean isGiven = asked.serverInterface().isPresent() || asked.describe().stream()
            .anyMatch(entry -> entry.key().equals(BIND_ADDRESS) && !entry.source().equals("default"));
        if (!isGiven && peers.size() > 1) {
            address(peers).ifPresent(address -> settings.set(BIND_ADDRESS, address));
        } else if (!isGiven) {
            settings.set(BIND_ADDRESS, InetAddress.getLoopbackAddress().getHostAddress());
        }
        return settings.build();
    }

    /** By which this host reaches others, or else that to which the launcher has connected. */
    private static Optional<String> address(List<String> peers) {
        String[] connection = System.getenv().getOrDefault("SSH_CONNECTION", "").split(" ");
        return SourceAddressSelection.address(peers, connection.length <= SSH_SERVER ? Optional.empty()
            : Optional.of(connection[SSH_SERVER])).map(InetAddress::getHostAddress);
    }

    /** Problems that would keep processes of the job from starting here, each as the rest of a sentence. */
    List<String> problems(Command.Begin begin, Settings settings) {
        List<String> problems = new ArrayList<>();
        Path directory = Path.of(begin.directory());
        if (!Files.isDirectory(directory)) {
            problems.add("has no directory " + directory + ", from which the job was started");
        }
        Path shm = settings.shmDirectory();
        if (!Files.isDirectory(shm)) {
            problems.add("has no directory " + shm + " (shm.directory)");
        } else if (!Files.isWritable(shm)) {
            problems.add("may not write to " + shm + " (shm.directory)");
        } else {
            checkRoom(shm, FirstFiles.bytes(settings, Topology.parse(begin.layout()), begin.firstNode()), problems);
        }
        problems.addAll(ServerPorts.problems(settings));
        String trace = begin.userVariables().get(JobVariables.TRACE);
        if (trace != null) {
            int ranks = Topology.parse(begin.layout()).ranksOf(begin.firstNode()).count();
            TraceFolder.problem(Path.of(trace), ranks).ifPresent(problems::add);
        }
        Stream.of(begin.serverCommand().getFirst(), begin.rankCommand().getFirst()).distinct()
            .filter(program -> !isExecutable(program, directory, begin.environment()))
            .forEach(program -> problems.add("cannot execute " + program + (program.contains("/") ? ""
                : ", which is not on the PATH") + "; install it at the same place as on the launcher's machine"));
        return problems;
    }

    private static void checkRoom(Path shm, long firstFiles, List<String> problems) {
        try {
            long free = Files.getFileStore(shm).getUsableSpace();
            long needed = Math.max(LEAST_ROOM, firstFiles);
            if (free < needed) {
                problems.add("has " + (free >> 10) + " KiB free in " + shm + ", and a server needs "
                    + (needed + 1023) / 1024 + " KiB before any allocation; free some or enlarge the mount");
            }
        } catch (IOException e) {
            problems.add("cannot look at " + shm + ": " + Shortage.describe(e, shm));
        }
    }

    private static boolean isExecutable(String program, Path directory, Map<String, String> environment) {
        Stream<Path> places = program.contains("/") ? Stream.of(directory.resolve(program))
            : Stream.of(environment.getOrDefault("PATH", "/usr/bin:/bin").split(File.pathSeparator))
                .map(folder -> directory.resolve(folder).resolve(program));
        return places.anyMatch(path -> Files.isExecutable(path) && !Files.isDirectory(path));
    }
}

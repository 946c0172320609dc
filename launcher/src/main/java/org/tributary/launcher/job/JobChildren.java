package org.tributary.launcher.job;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Topology;

/** The processes of one job and what they share: its secret, its files, and the addresses of its servers. */
final class JobChildren {
    private static final int SECRET_BYTES = 32;
    private static final long LAST_OUTPUT_MS = 1_000;
    private static final int NODES_NAMED = 8;

    private final JobPlan plan;
    private final String jobId;
    private final BlockingQueue<Event> events;
    private final LineSink out;
    private final LineSink err;
    private final StandardInput input;
    private final Leavers leavers = new Leavers();
    private final ChildEnvironment environment;
    private final byte[] secret = new byte[SECRET_BYTES];
    private final String[] addresses;
    private final List<Child> servers = new ArrayList<>();
    private final List<Child> ranks = new ArrayList<>();
    private JobFiles files;

    /** {@code input} is what rank 0 reads. */
    JobChildren(JobPlan plan, String jobId, BlockingQueue<Event> events, StandardInput input, LineSink out,
        LineSink err) {
        this.plan = plan;
        this.jobId = jobId;
        this.events = events;
        this.input = input;
        this.out = out;
        this.err = err;
        this.environment = new ChildEnvironment(plan.settings());
        this.addresses = new String[plan.topology().nodeCount()];
        new SecureRandom().nextBytes(secret);
    }

    void startServers() throws IOException {
        OpenFiles.requireForChildren(plan.topology().nodeCount() + plan.topology().rankCount());
        files = JobFiles.create(jobId, secret);
        for (int node = 0; node < plan.topology().nodeCount(); node++) {
            servers.add(startServer(node));
        }
    }

    private Child startServer(int node) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(plan.serverCommand());
        JobEnvironment job = job().node(node).serversFile(files.serversFile()).build();
        environment.forServer(builder.environment(), job.toEnvironment(), node);
        String prefix = plan.prefixed() ? "[server " + node + "] " : "";
        Child server = Child.start("node " + node, "", builder,
            new LinePump(prefix, out, new ServerLines(node, events)), new LinePump(prefix, err));
        server.onExit(code -> events.add(new Event.ServerEnded(node, code)));
        return server;
    }

    /** Returns whether it was the last one. */
    boolean serverReady(int node, String address) {
        addresses[node] = address;
        return Arrays.stream(addresses).allMatch(Objects::nonNull);
    }

    String unreadyServers() {
        List<String> nodes = IntStream.range(0, addresses.length).filter(node -> addresses[node] == null)
            .mapToObj(Integer::toString).toList();
        String named = String.join(", ", nodes.subList(0, Math.min(NODES_NAMED, nodes.size())));
        return (nodes.size() == 1 ? "server of node " : "servers of nodes ") + named
            + (nodes.size() > NODES_NAMED ? " and " + (nodes.size() - NODES_NAMED) + " more" : "");
    }

    void startRanks() throws IOException {
        files.writeServers(List.of(addresses));
        Topology topology = plan.topology();
        for (int rank = 0; rank < topology.rankCount(); rank++) {
            Child child = startRank(rank, topology.nodeOf(rank));
            ranks.add(child);
            servers.get(topology.nodeOf(rank)).tell("pid " + child.pid());
        }
    }

    private Child startRank(int rank, int node) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(plan.rankCommand());
        StandardInput read = rank == 0 ? input : StandardInput.none();
        builder.redirectInput(read.redirect());
        JobEnvironment job = job().rank(rank).servers(List.of(addresses)).build();
        environment.forRank(builder.environment(), plan.userVariables(), job.toEnvironment());
        String prefix = plan.prefixed() ? "[" + rank + "] " : "";
        Child child = Child.start("rank " + rank, "node " + node + ", ", builder,
            new LinePump(prefix, out), new LinePump(prefix, err, leavers.listenTo(rank)));
        child.onExit(code -> events.add(new Event.RankEnded(rank, code)));
        read.feed(child);
        return child;
    }

    private JobEnvironment.Builder job() {
        return JobEnvironment.builder().jobId(jobId).secretFile(files.secretFile()).topology(plan.topology())
            .supervised(true);
    }

    Child serverEnded(int node) {
        servers.get(node).markEnded();
        return servers.get(node);
    }

    Child rankEnded(int rank) {
        ranks.get(rank).markEnded();
        return ranks.get(rank);
    }

    /** The end of a rank with an error; its subject is the rank that left while this one waited, if one did. */
    String describeEnd(int rank, int exitCode) {
        String end = ExitCodes.describe(exitCode);
        int cause = leavers.causeOf(rank);
        return cause < 0 || cause >= ranks.size() ? ranks.get(rank).name() + " " + end
            : ranks.get(cause).name() + " left the job while others still needed it; so " + ranks.get(rank).name() + " "
                + end;
    }

    boolean allRanksEnded() {
        return ranks.size() == plan.topology().rankCount() && ranks.stream().allMatch(Child::ended);
    }

    boolean allEnded() {
        return all().allMatch(Child::ended);
    }

    void markDeadAsEnded() {
        all().filter(child -> !child.isAlive()).forEach(Child::markEnded);
    }

    String alive() {
        return all().filter(child -> !child.ended()).map(Child::name).collect(Collectors.joining(", "));
    }

    /** For servers whose ranks never attached, and so never said goodbye. */
    void releaseServers() {
        servers.forEach(server -> server.tell("end"));
        servers.forEach(Child::closeInput);
    }

    /** Servers come first: they tell ranks that are computing, which exit at once and know why. */
    void end(int signal, String reason) {
        servers.forEach(server -> server.tell("abort " + reason.replace('\n', ' ')));
        for (int node = 0; node < servers.size(); node++) {
            if (addresses[node] == null) {
                servers.get(node).signal(ExitCodes.SIGTERM); // does not listen yet
            }
        }
        List<ProcessHandle> descendants = ranks.stream().flatMap(Child::descendants).toList();
        ranks.forEach(rank -> rank.signal(signal));
        descendants.forEach(ProcessHandle::destroy);
    }

    void kill() {
        JobProcesses.ofJob(jobId).running().forEach(ProcessHandle::destroyForcibly);
        all().flatMap(Child::descendants).toList().forEach(ProcessHandle::destroyForcibly);
        all().forEach(Child::kill);
    }

    /** Ends what ranks have left running, waits for the last output, and removes the job's files. */
    void close() throws IOException, InterruptedException {
        try {
            if (!allEnded()) {
                kill();
            }
            JobProcesses.end(JobProcesses.ofJob(jobId).running(), plan.settings().jobGraceNs());
            long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LAST_OUTPUT_MS);
            for (Child child : all().toList()) {
                child.awaitOutput(TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime()));
            }
        } finally {
            if (files != null) {
                files.close();
            }
        }
    }

    private Stream<Child> all() {
        return Stream.concat(ranks.stream(), servers.stream());
    }

    /** Takes the lines out of a server's output by which it reports to its launcher. */
    private record ServerLines(int node, BlockingQueue<Event> events) implements LinePump.LineTest {
        private static final Pattern READY = Pattern.compile("tributary server ready: .*address (\\S+), pid.*");
        private static final Pattern ABORTED = Pattern.compile("tributary server aborted: (.*)");

        @Override
        public boolean test(byte[] buffer, int offset, int length) {
            String line = new String(buffer, offset, length, StandardCharsets.UTF_8);
            Matcher ready = READY.matcher(line);
            if (ready.matches()) {
                events.add(new Event.ServerReady(node, ready.group(1)));
                return true;
            }
            Matcher aborted = ABORTED.matcher(line);
            if (aborted.matches()) {
                events.add(new Event.ServerAborted(node, aborted.group(1)));
                return true;
            }
            return false;
        }
    }
}

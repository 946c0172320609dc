package org.tributary.launcher.job;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.tributary.config.CooperationMode;
import org.tributary.config.EnumText;
import org.tributary.config.JobEnvironment;
import org.tributary.config.NetworkFabric;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.cooperation.CooperationOptions;
import org.tributary.launcher.bind.Binding;
import org.tributary.launcher.bind.LinkSpeed;
import org.tributary.launcher.status.JobView;
import org.tributary.launcher.status.LocalJob;
import org.tributary.server.LoopCount;
import org.tributary.server.connection.BindAddress;
import org.tributary.wire.ReadyLine;
import org.tributary.wire.shm.ProviderFiles;

/** Nodes of a job on this machine: the processes of their servers and ranks, and the files that these share. */
public final class LocalNodes implements JobNodes {
    /** For processes that hold an output open after the end of all that were started here. */
    private static final long HELD_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long LOOK_MS = 20;
    /**
     * More nodes than that on a machine with fewer processors are for tests and rehearsals: then processes serve
     * several each. A JVM takes several times as long to start as a server in one that runs.
     */
    private static final int MOST_SERVERS = 4;

    private final JobPlan plan;
    private final NodeShare share;
    private final Consumer<Event> events;
    private final StandardInput input;
    private final LineSink out;
    private final LineSink err;
    private final Leavers leavers = new Leavers();
    private final Ends ends = new Ends();
    private final ChildEnvironment environment;
    private final Map<Integer, Child> servers = new LinkedHashMap<>();
    private final Map<Integer, LastLine> lastLines = new HashMap<>();
    private final Map<Integer, Child> ranks = new LinkedHashMap<>();
    private final Set<Integer> listening = new HashSet<>();
    /** Processes whose end nobody waits for. */
    private final Set<Long> left = new HashSet<>();
    private JobFiles files;
    private Binding binding;
    private IgnoredQuit quit;
    private final OutputWait outputWait = new OutputWait();

    /**
     * Nodes whose processes are still to be started.
     *
     * @param share  which nodes of the job they are
     * @param events takes news, from any thread
     * @param input  what rank 0 reads
     */
    public LocalNodes(JobPlan plan, NodeShare share, Consumer<Event> events, StandardInput input, LineSink out,
        LineSink err) {
        this.plan = plan;
        this.share = share;
        this.events = events;
        this.input = input;
        this.out = out;
        this.err = err;
        this.environment = new ChildEnvironment(plan.settings(), share.host() == null);
    }

    /** Settings of the servers of a job on one machine, of each that may listen elsewhere than the first. */
    public static Stream<Settings> serverSettings(JobPlan plan) {
        Settings settings = plan.settings();
        ChildEnvironment environment = new ChildEnvironment(settings, true);
        boolean isFixed = settings.serverPort() > 0 || settings.serverMetricsPort() > 0;
        return IntStream.range(0, isFixed ? plan.topology().nodeCount() : 1).mapToObj(environment::serverSettings);
    }

    @Override
    public String jobId() {
        return share.jobId();
    }

    @Override
    public List<String> hosts() {
        return List.of();
    }

    @Override
    public JobView view() {
        return new LocalJob(plan.settings().shmDirectory(), share.jobId());
    }

    @Override
    public void prepare() {
        // This machine is ready as it is.
    }

    @Override
    public void startServers() throws IOException {
        OpenFiles.requireForChildren(share.count() + share.ranks(plan.topology()).length);
        files = JobFiles.create(share.filesName(), share.secret());
        if (share.host() != null) {
            files.writeLauncher(share.launcher());
        }
        bind();
        ends.begin();
        int processes = serverProcesses(share.count(), Runtime.getRuntime().availableProcessors());
        for (int i = 0; i < processes; i++) {
            startServers(share.firstNode() + (int) ((long) share.count() * i / processes),
                share.firstNode() + (int) ((long) share.count() * (i + 1) / processes));
        }
        quit = new IgnoredQuit(); // while servers start
    }

    /** How many processes serve so many nodes of a machine with so many processors. */
    static int serverProcesses(int nodes, int processors) {
        return Math.min(nodes, Math.max(MOST_SERVERS, processors));
    }

    private void bind() {
        int ranks = share.ranks(plan.topology()).length;
        Settings settings = environment.serverSettings(share.firstNode());
        CooperationMode cooperation = CooperationOptions.of(settings, plan.topology()).mode();
        binding = Binding.of(share.bind(), ranks, share.count(), cores -> LoopCount.of(settings, cooperation,
            plan.topology().nodeCount(), new LoopCount.Room(cores, ranks, share.count(), () -> linkMbit(settings))));
        String host = share.host() == null ? "" : "host " + share.host() + ": ";
        if (binding.isLessThan(share.bind())) {
            err.say(host + "--bind " + EnumText.underscored(share.bind()) + ": " + binding.explanation());
        } else {
            events.accept(new Event.Remark(host + binding.explanation()));
        }
    }

    /** Not of a name: who looks one up may wait for long, and signals would wait behind this. */
    private static long linkMbit(Settings settings) {
        try {
            return LinkSpeed.mbit(InetAddress.ofLiteral(BindAddress.of(settings)));
        } catch (IOException e) {
            return LinkSpeed.UNKNOWN; // the servers will say what is wrong
        } catch (IllegalArgumentException e) {
            return LinkSpeed.UNKNOWN; // a name
        }
    }

    /** One process for all of these. */
    private void startServers(int first, int end) throws IOException {
        ProcessBuilder builder = builder(JavaCommand.ofNodes(plan.serverCommand(), plan.topology(), first, end));
        JobEnvironment job = job().node(first).serversFile(files.serversFile()).build();
        environment.forServer(builder.environment(), job.toEnvironment(), first, binding.loops());
        String nodes = end - first == 1 ? Integer.toString(first) : first + "-" + (end - 1);
        String prefix = plan.prefixed() ? share.prefix("server " + nodes) : "";
        LastLine last = new LastLine();
        Child server = Child.start((end - first == 1 ? "node " : "nodes ") + nodes, share.place(""), builder,
            binding.servers(), new LinePump(prefix, out, new ServerLines(first, events)),
            new LinePump(prefix, err, last));
        for (int node = first; node < end; node++) {
            servers.put(node, server);
            lastLines.put(node, last);
        }
        server.onExit(ends, code -> {
            for (int node = first; node < end; node++) {
                events.accept(new Event.ServerEnded(node, "server of " + server.name(), code, ""));
            }
        });
    }

    @Override
    public void startRanks(List<String> addresses) throws IOException {
        files.writeServers(addresses);
        quit.during(() -> startAllRanks(addresses));
    }

    private void startAllRanks(List<String> addresses) throws IOException {
        Topology topology = plan.topology();
        int[] all = share.ranks(topology);
        for (int i = 0; i < all.length; i++) {
            int rank = all[i];
            Child child = startRank(rank, topology.nodeOf(rank), addresses, binding.rank(i));
            ranks.put(rank, child);
            servers.get(topology.nodeOf(rank)).tell("pid " + child.pid());
        }
    }

    private Child startRank(int rank, int node, List<String> addresses, BitSet cpus) throws IOException {
        ProcessBuilder builder = builder(plan.rankCommand());
        StandardInput read = rank == 0 ? input : StandardInput.none();
        builder.redirectInput(read.redirect());
        JobEnvironment job = job().rank(rank).servers(addresses).build();
        environment.forRank(builder.environment(), plan.userVariables(), job.toEnvironment());
        String prefix = plan.prefixed() ? share.prefix(Integer.toString(rank)) : "";
        Child child = Child.start("rank " + rank, share.place("node " + node + ", "), builder, cpus,
            new LinePump(prefix, out), new LinePump(prefix, err, leavers.listenTo(rank)));
        child.onExit(ends, code -> events.accept(new Event.RankEnded(rank, child.name(), code, -1)));
        read.feed(child, child.name());
        return child;
    }

    private ProcessBuilder builder(List<String> command) {
        ProcessBuilder builder = new ProcessBuilder(command);
        share.surroundings().ifPresent(surroundings -> surroundings.applyTo(builder));
        return builder;
    }

    private JobEnvironment.Builder job() {
        return JobEnvironment.builder().jobId(share.jobId()).secretFile(files.secretFile()).topology(plan.topology())
            .supervised(true);
    }

    @Override
    public String said(int node) {
        return "";
    }

    @Override
    public void noteListening(int node) {
        listening.add(node);
    }

    @Override
    public void note(Event.Ended ended) {
        child(ended).markEnded();
    }

    @Override
    public Event.HostGone noteGone(Event.HostGone gone) {
        return gone; // and there are no connections
    }

    private Child child(Event.Ended ended) {
        return switch (ended) {
            case Event.ServerEnded server -> servers.get(server.node());
            case Event.RankEnded rank -> ranks.get(rank.rank());
        };
    }

    @Override
    public boolean allEnded() {
        return all().allMatch(Child::ended);
    }

    @Override
    public void noteTheDead() {
        all().filter(child -> !child.isAlive()).forEach(Child::markEnded);
    }

    @Override
    public void leaveTheLiving() {
        all().filter(Child::isAlive).map(Child::pid).forEach(left::add);
    }

    @Override
    public String name(int rank) {
        Child child = ranks.get(rank);
        return child == null ? "rank " + rank : child.name();
    }

    @Override
    public String alive() {
        return Stream.concat(ranks.values().stream().filter(child -> !child.ended()).map(Child::name),
            servers().filter(child -> !child.ended()).map(child -> "server of " + child.name()))
            .collect(Collectors.joining(", "));
    }

    @Override
    public void awaitOutput(Event.Ended ended, long timeoutMs) throws InterruptedException {
        child(ended).awaitOutput(timeoutMs);
    }

    @Override
    public void awaitWords(Event.ServerEnded ended, long timeoutMs) throws InterruptedException {
        child(ended).awaitOutput(timeoutMs);
    }

    /** Completed, by another thread, when the output of a process that has ended is written. */
    public CompletableFuture<Void> outputEnd(Event.Ended ended) {
        return child(ended).outputEnd();
    }

    @Override
    public Event.Ended explained(Event.Ended ended) {
        return switch (ended) {
            case Event.ServerEnded server -> new Event.ServerEnded(server.node(), server.name(), server.exitCode(),
                lastLines.get(server.node()).text());
            case Event.RankEnded rank -> new Event.RankEnded(rank.rank(), rank.name(), rank.exitCode(),
                leavers.causeOf(rank.rank()));
        };
    }

    /** For servers whose ranks never attached, and so never said goodbye. */
    @Override
    public void releaseServers() {
        servers().forEach(server -> server.tell("end"));
        servers().forEach(Child::closeInput);
    }

    /** Servers come first: they tell ranks that are computing, which exit at once and know why. */
    @Override
    public void end(int signal, String reason) {
        input.keep();
        servers().forEach(server -> server.tell("abort " + reason.replace('\n', ' ')));
        servers.entrySet().stream().filter(server -> !listening.contains(server.getKey()))
            .map(Map.Entry::getValue).distinct().forEach(server -> server.signal(ExitCodes.SIGTERM));
        List<ProcessHandle> descendants = below(ranks.values().stream());
        ranks.values().forEach(rank -> rank.signal(signal));
        descendants.forEach(ProcessHandle::destroy);
    }

    @Override
    public void kill() {
        try {
            processes().running().forEach(ProcessHandle::destroyForcibly);
            below(all()).forEach(ProcessHandle::destroyForcibly);
        } finally {
            all().forEach(Child::kill);
        }
    }

    /** Descendants of those children that still run. */
    private static List<ProcessHandle> below(Stream<Child> children) {
        return JobProcesses.below(children.filter(child -> !child.ended()).map(Child::pid).collect(Collectors.toSet()));
    }

    private JobProcesses processes() {
        return share.host() == null ? JobProcesses.ofJob(share.jobId())
            : JobProcesses.ofNodes(share.jobId(), share.firstNode(), share.endNode());
    }

    @Override
    public void noteNodeEnded(int node) {
        throw new IllegalStateException("node " + node + " is no other host's");
    }

    @Override
    public void dropOutput() {
        outputWait.drop();
    }

    @Override
    public void limitOutput(long ns) {
        outputWait.limit(ns);
    }

    @Override
    public void giveUp() {
        // There are none.
    }

    @Override
    public LastOutput close() throws IOException, InterruptedException {
        input.keep();
        try {
            boolean isCutShort = !allEnded(); // by an error of this process
            try {
                processes().without(left).endAll(isCutShort ? below(all()) : List.of(), plan.settings().jobGraceNs());
            } finally { // also where memory is too short for that
                if (isCutShort) {
                    kill();
                }
            }
            LastOutput last = awaitLastOutput();
            return last.unless(LineSink.tellLostOf(out, err));
        } finally {
            if (plan.settings().networkFabric() == NetworkFabric.SHM) {
                all().forEach(child -> ProviderFiles.remove(child.pid())); // of those that were killed
            }
            ends.close();
            if (files != null) {
                files.close();
            }
        }
    }

    /** However slow its reader is, as long as nobody drops it. */
    private LastOutput awaitLastOutput() throws InterruptedException {
        List<Pump> left = new ArrayList<>(all().flatMap(Child::pumps).toList());
        left.removeIf(pump -> pump.isOver(HELD_NS));
        while (!left.isEmpty() && !outputWait.isOver()) {
            left.getFirst().join(LOOK_MS);
            left.removeIf(pump -> pump.isOver(HELD_NS));
        }
        return left.isEmpty() ? LastOutput.WRITTEN : LastOutput.DROPPED;
    }

    private Stream<Child> servers() {
        return servers.values().stream().distinct();
    }

    private Stream<Child> all() {
        return Stream.concat(ranks.values().stream(), servers());
    }

    /** Remembers the last line, which says why a process ended that could not start. */
    private static final class LastLine implements LinePump.LineTest {
        private static final String OURS = "tributary: ";
        private volatile String text = "";

        @Override
        public boolean test(byte[] buffer, int offset, int length) {
            String line = new String(buffer, offset, length, StandardCharsets.UTF_8).strip();
            if (!line.isEmpty()) {
                text = line.startsWith(OURS) ? line.substring(OURS.length()) : line;
            }
            return false;
        }

        String text() {
            return text;
        }
    }

    /** Takes the lines out of a server's output by which it reports to its launcher. */
    private record ServerLines(int firstNode, Consumer<Event> events) implements LinePump.LineTest {
        private static final Pattern ABORTED = Pattern.compile("tributary server aborted: (.*)");

        @Override
        public boolean test(byte[] buffer, int offset, int length) {
            String line = new String(buffer, offset, length, StandardCharsets.UTF_8);
            ReadyLine ready = ReadyLine.parse(line);
            if (ready != null) {
                events.accept(new Event.ServerReady(ready.node(), ready.address()));
                return true;
            }
            Matcher aborted = ABORTED.matcher(line);
            if (aborted.matches()) {
                events.accept(new Event.ServerAborted(firstNode, aborted.group(1)));
                return true;
            }
            return false;
        }
    }
}

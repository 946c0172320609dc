package org.tributary.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.tributary.config.ProcessFiles;

/**
 * The processes of one job of the campaign, started on three hosts by a script each, as a batch system would, or on one
 * or three by {@code tributary run}. The output of each goes to files, because the process that started it may be
 * killed.
 */
final class CampaignJob implements AutoCloseable {
    static final String C_PROGRAM = System.getProperty("tributary.native", "../native/target/cmake") + "/test/campaign";
    private static final String RANK = "org.tributary.it.CampaignRank";
    private static final String TRACES = "traces";
    private static final long AGENT_POLL_S = 20;

    private final CampaignPlan plan;
    private final CampaignHosts hosts;
    private final String id;
    private final Path work;
    private final List<Process> started = new ArrayList<>();
    private final List<Long> hit = new ArrayList<>();
    private final Set<Long> seen = new HashSet<>();
    private final double slack;

    CampaignJob(CampaignPlan plan, CampaignHosts hosts, Path directory, String id, double slack)
        throws IOException {
        this.slack = slack;
        this.plan = plan;
        this.hosts = hosts;
        this.id = id;
        this.work = Files.createDirectories(directory.resolve(id));
    }

    /** Whether jobs can have ranks in C. */
    static boolean hasC() {
        return Files.isExecutable(Path.of(C_PROGRAM));
    }

    void start() throws IOException {
        if (plan.launcher()) {
            started.add(start(0, "launcher", launcherScript()));
            return;
        }
        Path secret = Files.writeString(work.resolve("secret"), "00112233445566778899aabbccddeeff");
        Files.setPosixFilePermissions(secret, java.nio.file.attribute.PosixFilePermissions.fromString("rw-------"));
        for (int node = 0; node < CampaignPlan.NODES; node++) {
            started.add(start(node, "agent-" + node, agentScript(node)));
        }
    }

    private Process start(int host, String name, String script) throws IOException {
        Path file = Files.writeString(work.resolve(name + ".sh"), script);
        ProcessBuilder builder = new ProcessBuilder(hosts.on(host, List.of("sh", file.toAbsolutePath().toString())))
            .redirectOutput(work.resolve(name + ".out").toFile()).redirectError(work.resolve(name + ".err").toFile());
        builder.environment().keySet().removeIf(variable -> variable.startsWith("TRIBUTARY_"));
        // The launcher gives its job a name of its own; this one finds every process of it.
        builder.environment().put("CAMPAIGN_JOB", id);
        builder.environment().put("JDK_JAVA_OPTIONS", Place.FAST_START);
        return builder.start();
    }

    private Map<String, String> settings() {
        Map<String, String> settings = new TreeMap<>(Map.of("TRIBUTARY_NETWORK_ENCRYPTION",
            plan.encrypted() ? "aes-gcm" : "none", "TRIBUTARY_COOPERATION_MODE", plan.mode(),
            "TRIBUTARY_COOPERATION_SCOPE", plan.mode().equals("none") ? "process" : plan.scope(), "TRIBUTARY_JOB_GRACE",
            CampaignVerdict.GRACE_S + "s", "TRIBUTARY_CONNECTION_SILENCE_TIMEOUT", CampaignVerdict.SILENCE_S + "s",
            "TRIBUTARY_CONNECT_TIMEOUT", seconds(CampaignVerdict.CONNECT_S), "TRIBUTARY_ATTACH_TIMEOUT",
            seconds(CampaignVerdict.ATTACH_S), "TRIBUTARY_JOB_HANG_REPORT", "0")); // a job that waits says one thing
        if (plan.adapter()) {
            settings.putAll(Map.of("TRIBUTARY_NETWORK_FABRIC", "tcp", "TRIBUTARY_FABRIC_CHANNELS", "2"));
        }
        return settings;
    }

    private String seconds(int seconds) {
        return Math.round(seconds * slack) + "s";
    }

    private static String quoted(List<String> command) {
        return command.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
    }

    private List<String> rank(boolean inC) {
        List<String> command = inC ? new ArrayList<>(List.of(Path.of(C_PROGRAM).toAbsolutePath().toString()))
            : plan.adapter() ? Place.javaWithAdapter(RANK) : Place.java(RANK);
        command.addAll(List.of(Integer.toString(plan.rounds()), Integer.toString(plan.pauseMs())));
        return command;
    }

    /** Stands for ssh: runs the words that follow a host's address as a process of that host. */
    private Path writeLaunchScript() throws IOException {
        StringBuilder script = new StringBuilder("host=$1\nshift\ncase $host in\n");
        for (int host = 0; host < CampaignPlan.NODES; host++) {
            script.append(hosts.address(host)).append(") exec ").append(quoted(hosts.on(host, List.of())))
                .append(" \"$@\" ;;\n");
        }
        return Files.writeString(work.resolve("launch.sh"), script.append("esac\n"));
    }

    private String launcherScript() throws IOException {
        List<String> command = Place.launcher();
        command.addAll(List.of("run", "--layout", plan.layout()));
        if (plan.start() == CampaignPlan.Start.RUN_ON_HOSTS) {
            command.addAll(List.of("--hosts", IntStream.range(0, CampaignPlan.NODES).mapToObj(hosts::address)
                .collect(Collectors.joining(",")), "--launch-agent", "sh " + writeLaunchScript().toAbsolutePath()));
        }
        if (plan.traced()) {
            command.addAll(List.of("--trace", work.resolve(TRACES).toAbsolutePath().toString()));
        }
        if (plan.shown()) {
            command.add("--dashboard");
        }
        command.add("--");
        command.addAll(rank(plan.inC()[0]));
        StringBuilder script = new StringBuilder("cd '" + work.toAbsolutePath() + "'\necho $$ > launcher.pid\n");
        settings().forEach((name, value) -> script.append("export ").append(name).append("='").append(value)
            .append("'\n"));
        return script.append("exec ").append(quoted(command)).append('\n').toString();
    }

    /** An agent starts its host's server, waits for the list of all servers, starts its ranks and waits for them. */
    private String agentScript(int node) {
        StringBuilder script = new StringBuilder("cd '" + work.toAbsolutePath() + "'\n");
        Map<String, String> variables = settings();
        variables.putAll(Map.of("TRIBUTARY_JOB_ID", id, "TRIBUTARY_SECRET_FILE", "secret", "TRIBUTARY_LAYOUT",
            plan.layout(), "TRIBUTARY_SERVERS_FILE", "servers", "TRIBUTARY_SERVER_BIND_ADDRESS", hosts.address(node)));
        variables.forEach((name, value) -> script.append("export ").append(name).append("='").append(value)
            .append("'\n"));
        List<String> server = Place.server();
        server.addAll(List.of("--address-file", "address-" + node));
        script.append(child("server-" + node, "TRIBUTARY_NODE=" + node, server));
        script.append("until=$(($(date +%s) + ").append(Math.round(AGENT_POLL_S * slack))
            .append("))\nwhile [ ! -f servers ] && kill -0 $! 2>/dev/null && [ $(date +%s) -lt $until ]; do sleep 0.2;"
                + " done\n[ -f servers ] || { wait; exit 1; }\n");
        List<String> names = new ArrayList<>();
        for (int rank = 0; rank < plan.rankCount(); rank++) {
            if (plan.nodeOf(rank) == node) {
                script.append(child("rank-" + rank, "TRIBUTARY_RANK=" + rank, rank(plan.inC()[rank])));
                names.add("rank-" + rank);
            }
        }
        names.add("server-" + node);
        names.forEach(name -> script.append("wait $(cat ").append(name).append(".pid)\necho $? > ").append(name)
            .append(".exit\n"));
        return script.toString();
    }

    private static String child(String name, String variable, List<String> command) {
        return variable + " " + quoted(command) + " </dev/null >" + name + ".out 2>" + name + ".err &\necho $! > "
            + name + ".pid\n";
    }

    /** Completes the list of servers when all listen; a job script's duty. */
    void writeServersWhenReady() throws IOException {
        if (plan.launcher() || Files.exists(work.resolve("servers"))) {
            return;
        }
        StringBuilder all = new StringBuilder();
        for (int node = 0; node < CampaignPlan.NODES; node++) {
            Path address = work.resolve("address-" + node);
            if (!Files.exists(address)) {
                return;
            }
            all.append(Files.readString(address));
        }
        Files.move(Files.writeString(work.resolve("servers.new"), all), work.resolve("servers"),
            StandardCopyOption.ATOMIC_MOVE);
    }

    /** What a server, a rank, an agent or the launcher has said so far, on "out" or "err". */
    String said(String name, String stream) {
        try {
            Path file = work.resolve(name + "." + stream);
            return Files.exists(file) ? Files.readString(file, StandardCharsets.ISO_8859_1) : "";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How many ranks have said that. */
    long ranksThatSaid(String word) {
        if (plan.launcher()) {
            return said("launcher", "out").lines().filter(line -> line.matches("\\[\\d+( [0-9.]+)?] " + word)).count();
        }
        return IntStream.range(0, plan.rankCount())
            .filter(rank -> said("rank-" + rank, "out").lines().anyMatch(word::equals)).count();
    }

    /** The exit code of one of them; -1 when it is not known. */
    int exitCode(String name) {
        if (name.equals("launcher")) {
            return started.getFirst().isAlive() ? -1 : started.getFirst().exitValue();
        }
        String code = said(name, "exit").strip();
        return code.isEmpty() ? -1 : Integer.parseInt(code);
    }

    /** Every process of the job that runs, its agents included; a zombie does not. */
    List<ProcessHandle> processes() {
        return ProcessHandle.allProcesses().filter(process -> ProcessFiles.of(process).findsVariable("CAMPAIGN_JOB", id)
            && ProcessFiles.of(process).runs()).toList();
    }

    /** Whether no process is left. One that becomes another program has no environment for a moment. */
    boolean hasEnded() {
        return started.stream().noneMatch(Process::isAlive) && processes().isEmpty();
    }

    private Stream<ProcessHandle> find(CampaignPlan.Victim victim) {
        return switch (victim.kind()) {
            case LAUNCHER -> started.stream().map(Process::toHandle);
            case AGENT -> plan.launcher() ? processes().stream().filter(process -> isAgent(process, victim.number()))
                : Stream.of(started.get(victim.number()).toHandle());
            case RANK -> processes().stream().filter(process -> has(process, "TRIBUTARY_RANK", victim.number()));
            case SERVER -> processes().stream().filter(process -> has(process, "TRIBUTARY_NODE", victim.number())
                && !ProcessFiles.of(process).findsVariable("TRIBUTARY_RANK"));
            case HOST -> processes().stream().filter(process -> hosts.isOn(victim.number(), process.pid()));
        };
    }

    private boolean isAgent(ProcessHandle process, int host) {
        List<String> command = ProcessFiles.of(process).commandLine();
        return !command.isEmpty() && command.getLast().equals("agent") && hosts.isOn(host, process.pid());
    }

    private static boolean has(ProcessHandle process, String variable, int number) {
        return ProcessFiles.of(process).findsVariable(variable, Integer.toString(number));
    }

    /** Lets the blow fall; says how many processes it hit. */
    int strike() throws IOException {
        processes().forEach(process -> seen.add(process.pid()));
        List<ProcessHandle> victims = plan.victims().stream().flatMap(this::find).filter(ProcessHandle::isAlive)
            .toList();
        if (plan.blow() == CampaignPlan.Blow.CUT || plan.blow() == CampaignPlan.Blow.POWER) {
            hosts.cut(plan.victims().getFirst().number());
        }
        if (plan.blow() != CampaignPlan.Blow.CUT && !victims.isEmpty()) {
            String all = victims.stream().map(process -> Long.toString(process.pid())).collect(Collectors.joining(" "));
            // All by one system call after the other, so that none sees the other's death before its own.
            Place.signal(plan.blow() == CampaignPlan.Blow.STOP ? "STOP" : "KILL", all);
            victims.forEach(process -> hit.add(process.pid()));
        }
        boolean isHost = plan.victims().getFirst().kind() == CampaignPlan.Kind.HOST; // whatever runs on it already
        return isHost ? Math.max(1, victims.size()) : victims.size();
    }

    /** Lets those that were stopped go on. */
    void goOn() {
        if (!hit.isEmpty()) {
            Place.signal("CONT", hit.stream().map(pid -> Long.toString(pid)).collect(Collectors.joining(" ")));
        }
    }

    /** Names of servers and ranks whose output is in files of their own. */
    List<String> members() {
        if (plan.launcher()) {
            return List.of("launcher");
        }
        List<String> names = new ArrayList<>();
        IntStream.range(0, CampaignPlan.NODES).forEach(node -> names.add("server-" + node));
        IntStream.range(0, plan.rankCount()).forEach(rank -> names.add("rank-" + rank));
        return names;
    }

    /**
     * When the last survivor of a job by script began to wait for the others: a server when it was ready, a rank when
     * it was started.
     */
    Instant lastBegan() throws IOException {
        Instant last = Instant.EPOCH;
        for (String name : members()) {
            Path file = work.resolve(name + (name.startsWith("server") ? ".out" : ".pid"));
            if (!wasHit(name) && Files.exists(file)) {
                Instant began = Files.getLastModifiedTime(file).toInstant();
                last = began.isAfter(last) ? began : last;
            }
        }
        return last;
    }

    /** Whether the blow hit that member. */
    boolean wasHit(String name) {
        String pid = said(name, "pid").strip();
        return !pid.isEmpty() && hit.contains(Long.parseLong(pid));
    }

    /** Everything it said, for a report. */
    String transcript() {
        StringBuilder all = new StringBuilder();
        for (String name : Stream.concat(members().stream(), Stream.of("agent-0", "agent-1", "agent-2")).toList()) {
            all.append("--- ").append(name).append(wasHit(name) ? " (hit)" : "").append(", exit ")
                .append(exitCode(name)).append('\n').append(said(name, "out")).append(said(name, "err"));
        }
        return all.toString();
    }

    Path work() {
        return work;
    }

    /** Whether a process of this number was one of the job, or its launcher. */
    boolean had(long pid) {
        return seen.contains(pid) || started.stream().anyMatch(process -> process.pid() == pid);
    }

    @Override
    public void close() throws IOException {
        processes().forEach(ProcessHandle::destroyForcibly);
        started.forEach(Process::destroyForcibly);
        if (Files.isDirectory(work.resolve(TRACES))) {
            for (Path file : Place.entries(work.resolve(TRACES))) {
                Files.deleteIfExists(file); // 16 MiB a rank
            }
        }
    }
}

package org.tributary.client.bootstrap;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.tributary.config.JobVariables;
import org.tributary.config.Settings;
import org.tributary.wire.ReadyLine;
import org.tributary.wire.shm.NodeDirectory;

/**
 * The communication server of a node, the child of the node's lowest rank. A shell waits for it and removes what it
 * leaves when it is killed. The end of its standard input tells it that this process has died, so it ends then, too,
 * unless this process has {@link #release released} it. It leads a session of its own: what ends the processes of the
 * job must not kill it before it has cleaned up.
 */
final class NodeServer {
    /** The shell says what killed its server, perhaps to nobody: that must not end it before it has cleaned up. */
    private static final String SCRIPT = "trap : HUP INT PIPE TERM; directory=$1; shift; \"$@\"; code=$?;"
        + " rm -rf -- \"$directory\"; exit $code";
    private static final String SERVER_PORT = "TRIBUTARY_SERVER_PORT";
    private static final String METRICS_PORT = "TRIBUTARY_SERVER_METRICS_PORT";
    private static final String BIND_ADDRESS = "TRIBUTARY_SERVER_BIND_ADDRESS";
    /** These describe the caller's own place, are set anew, or are of a connection that only the caller has. */
    private static final List<String> NOT_THE_SERVERS = List.of(JobVariables.JOB_ID, JobVariables.SECRET,
        JobVariables.SECRET_FILE, JobVariables.LAYOUT, JobVariables.NODE, JobVariables.RANK, JobVariables.SERVERS,
        JobVariables.SERVERS_FILE, JobVariables.SUPERVISED, JobVariables.NODES, JobVariables.HOME, Pmi.DESCRIPTOR,
        Pmi.PORT);
    /** A file in the node's directory, which goes with that. */
    private static final String SERVERS = "servers";
    private static final long END_S = 30;

    private final Process process;
    private final Path directory;
    private final BufferedReader answers;
    private final MemoryFile secret;
    private final int node;

    private NodeServer(Process process, Path directory, MemoryFile secret, int node) {
        this.process = process;
        this.directory = directory;
        this.answers = process.inputReader(StandardCharsets.UTF_8);
        this.secret = secret;
        this.node = node;
    }

    /** Removes what dead servers have left, and starts one. It does not listen yet. */
    static NodeServer start(Plan plan, int node, Map<String, String> environment, Settings settings)
        throws IOException {
        List<String> server = ServerCommand.find(environment);
        NodeDirectory.sweep(settings.shmDirectory());
        Path directory = NodeDirectory.of(settings.shmDirectory(), plan.jobId(), node).path();
        List<String> command = new ArrayList<>();
        findSetsid(environment).ifPresent(command::add);
        command.addAll(List.of("/bin/sh", "-c", SCRIPT, "tributary-server", directory.toString()));
        command.addAll(server);
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().keySet().removeAll(NOT_THE_SERVERS);
        builder.environment().putAll(variables(plan, node, environment, settings.serverInterface().isPresent()));
        builder.environment().put(JobVariables.SERVERS_FILE, directory.resolve(SERVERS).toString());
        MemoryFile secret = new MemoryFile("tributary-secret");
        try {
            secret.write(HexFormat.of().formatHex(plan.secret()));
            builder.environment().put(JobVariables.SECRET_FILE,
                plan.secretFile() == null ? secret.path().toString() : plan.secretFile());
            return new NodeServer(builder.start(), directory, secret, node);
        } catch (IOException | RuntimeException | Error e) {
            secret.close();
            throw e;
        }
    }

    private static Optional<String> findSetsid(Map<String, String> environment) {
        return Stream.of((environment.getOrDefault("PATH", "") + ":/usr/bin:/bin").split(":"))
            .map(folder -> Path.of(folder, "setsid")).filter(Files::isExecutable).map(Path::toString).findFirst();
    }

    /** Servers of one machine listen on it alone and count fixed ports up by their node, as the launcher's do. */
    private static Map<String, String> variables(Plan plan, int node, Map<String, String> environment,
        boolean listensOnInterface) {
        Map<String, String> variables = new HashMap<>();
        variables.put(JobVariables.JOB_ID, plan.jobId());
        variables.put(JobVariables.LAYOUT, plan.layout());
        variables.put(JobVariables.NODE, Integer.toString(node));
        if (plan.oneMachine()) {
            if (!listensOnInterface) {
                variables.put(BIND_ADDRESS, environment.getOrDefault(BIND_ADDRESS, "127.0.0.1"));
            }
            for (String port : List.of(SERVER_PORT, METRICS_PORT)) {
                String given = environment.getOrDefault(port, "").strip();
                if (given.matches("[1-9]\\d{0,4}")) {
                    variables.put(port, Integer.toString(Integer.parseInt(given) + node));
                }
            }
        }
        return variables;
    }

    /** Waits until it listens; its address. */
    String awaitReady(int rank, long timeoutNs) throws IOException {
        CompletableFuture<String> address = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("tributary-server-answers").start(() -> readAddress(address));
        try {
            return new NamedWait("rank " + rank, "the communication server of node " + node + " to start, process "
                + process.pid(), timeoutNs).get(address);
        } catch (TimeoutException e) {
            throw new IOException("the communication server of node " + node + ", process " + process.pid()
                + ", does not listen within " + timeoutNs / 1e9 + " s", e);
        } catch (ExecutionException e) {
            throw new IOException("the communication server of node " + node + " ended before it listened; what it"
                + " said stands above, in the output of its rank. TRIBUTARY_HOME names the folder with the command"
                + " `tributary`", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private void readAddress(CompletableFuture<String> address) {
        try {
            for (String line = answers.readLine(); line != null; line = answers.readLine()) {
                ReadyLine ready = ReadyLine.parse(line);
                if (ready != null) {
                    address.complete(ready.address());
                    return;
                }
            }
            address.completeExceptionally(new IOException("its output has ended"));
        } catch (IOException e) {
            address.completeExceptionally(e);
        }
    }

    /** Tells it where the servers of all nodes listen. It may read that after this process has left. */
    void tell(List<String> addresses) throws IOException {
        Files.writeString(directory.resolve(SERVERS), String.join("\n", addresses) + "\n");
        secret.close(); // it has read that before it listened
    }

    /** This process has left the job in good order: the server stays until all others have. */
    void release() {
        try {
            process.getOutputStream().write("release\n".getBytes(StandardCharsets.US_ASCII));
            process.getOutputStream().close();
        } catch (IOException e) {
            process.isAlive(); // it has ended, as it does when the job has
        }
    }

    /** Ends it now. */
    void end() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(END_S, TimeUnit.SECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
                new NodeDirectory(directory).removeWithServer();
            }
        } catch (IOException e) {
            process.isAlive(); // it has ended by itself
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        secret.close();
    }
}

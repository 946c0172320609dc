package org.tributary.benchmarks.cooperation;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.tributary.config.JobEnvironment;
import org.tributary.config.JobVariables;
import org.tributary.config.JvmOptions;
import org.tributary.config.ProcessFiles;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.wire.Agreement;
import org.tributary.wire.Membership;
import org.tributary.wire.shm.NodeDirectory;

/**
 * A communication server of node 0 of a job without ranks, in a process of its own with the heap and collector of
 * servers.
 */
public final class ServerProcess implements AutoCloseable {
    /** How long a server may take until its memory no longer changes. */
    public static final Duration SETTLES = Duration.ofSeconds(10);
    private static final long DEADLINE_S = 60;
    private static final int SECRET_BYTES = 32;
    private static final int KIBIBYTE = 1024;
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int UNCHANGED_LOOKS = 5;
    private static final long SAME_BYTES = 32 * KIBIBYTE;
    private static final List<String> SERVER_OPTIONS =
        List.of("-Xms16m", "-Xmx1g", "-XX:+UseSerialGC", "-XX:-UsePerfData");

    private final Topology topology;
    private final String jobId;
    private final Membership membership;
    private final Path directory;
    private final Process process;
    private final BufferedReader answers;
    private final Thread errors;
    private final int port;

    /** Starts it; it listens when this returns. {@code jvmOptions} come after those of servers, and so win. */
    public ServerProcess(Topology topology, Settings settings, String jobId, String... jvmOptions)
        throws IOException {
        this.topology = topology;
        this.jobId = jobId;
        byte[] secret = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        membership = new Membership(jobId, secret, Agreement.of(settings, topology));
        directory = NodeDirectory.of(settings.shmDirectory(), jobId, 0).socket();
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JvmOptions.required());
        command.addAll(SERVER_OPTIONS);
        command.addAll(List.of(jvmOptions));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), HeldServer.class.getName()));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> name.startsWith(JobVariables.PREFIX));
        builder.environment().putAll(settings.toEnvironment());
        // Its peers do not exist: what is to be passed on waits in its rings.
        builder.environment().putAll(JobEnvironment.builder().jobId(jobId).secret(secret).topology(topology).node(0)
            .serversFile(directory.resolveSibling("no-addresses")).build().toEnvironment());
        process = builder.start();
        errors = Thread.ofPlatform().daemon().name("errors of the server").start(this::forwardErrors);
        answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = answers.readLine();
        if (line == null) {
            close(); // what it has said is the reason
            throw new IOException("the server of job " + jobId + " has not started");
        }
        port = Integer.parseInt(line);
    }

    /** Through this process, where tests look for errors. */
    private void forwardErrors() {
        try {
            process.getErrorStream().transferTo(System.err);
        } catch (IOException e) {
            System.err.println("errors of the server cannot be read: " + e);
        }
    }

    /** The layout of its job. */
    public Topology topology() {
        return topology;
    }

    /** The job, its secret and its settings: the credentials by which the server admits a process. */
    public Membership membership() {
        return membership;
    }

    /** Where ranks of other nodes and servers connect. */
    public SocketAddress tcp() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** Where its own ranks connect. */
    public SocketAddress local() {
        return UnixDomainSocketAddress.of(directory);
    }

    /** Its resident set, VmRSS of proc(5), after collections of garbage, once it no longer changes or after so long. */
    public long residentBytes(Duration settles) throws IOException {
        long deadlineNs = System.nanoTime() + settles.toNanos();
        long bytes = collectedBytes();
        for (int unchanged = 0; unchanged < UNCHANGED_LOOKS && System.nanoTime() - deadlineNs < 0;) {
            LockSupport.parkNanos(PAUSE_NS);
            long now = collectedBytes();
            unchanged = Math.abs(now - bytes) <= SAME_BYTES ? unchanged + 1 : 0;
            bytes = now;
        }
        return bytes;
    }

    private long collectedBytes() throws IOException {
        OutputStream orders = process.getOutputStream();
        orders.write('\n');
        orders.flush();
        if (answers.readLine() == null) {
            throw new IOException("the server of job " + jobId + " has ended");
        }
        return ProcessFiles.of(process.toHandle()).text("status").lines().filter(line -> line.startsWith("VmRSS:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * KIBIBYTE).findFirst()
            .orElseThrow(() -> new IOException("no VmRSS of process " + process.pid()));
    }

    /** Ends it; it removes what it has made. */
    @Override
    public void close() throws IOException {
        process.getOutputStream().close();
        try {
            if (!process.waitFor(DEADLINE_S, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
            errors.join(Duration.ofSeconds(DEADLINE_S));
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}

package org.tributary.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.tributary.client.Gas;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.server.CommunicationServer;
import org.tributary.wire.ServerAddress;
import org.tributary.wire.shm.LockedDirectory;
import org.tributary.wire.shm.NodeDirectory;

/** The servers of one job, all in this process. */
final class LocalServers implements AutoCloseable {
    private static final AtomicInteger JOBS = new AtomicInteger();
    private static final int SECRET_BYTES = 32;
    private static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir"));
    /** As directories of launchers are called: {@code tributary clean} removes what tests have left, too. */
    private static final String PREFIX = "tributary-job-";
    private static final Pattern NAME = Pattern.compile(PREFIX + "local-\\d+-\\d+-[0-9a-f]+");

    private final Topology topology;
    private final Settings settings;
    /** Containers that share a folder may give the same number to two processes. */
    private final String jobId = "local-" + ProcessHandle.current().pid() + "-" + JOBS.incrementAndGet() + "-"
        + Integer.toHexString(new SecureRandom().nextInt());
    private final byte[] secret = new byte[SECRET_BYTES];
    private final LockedDirectory files;
    private final List<CommunicationServer> servers = new ArrayList<>();

    private LocalServers(Topology topology, Settings settings) throws IOException {
        this.topology = topology;
        this.settings = settings;
        this.files = LockedDirectory.create(TEMPORARY.resolve(PREFIX + jobId));
        new SecureRandom().nextBytes(secret);
    }

    static LocalServers start(Topology topology, Settings settings) throws IOException {
        NodeDirectory.sweep(settings.shmDirectory()); // tests that were killed could not do it
        LockedDirectory.sweep(TEMPORARY, NAME);
        LocalServers all = new LocalServers(topology, settings);
        try {
            List<String> addresses = new ArrayList<>();
            for (int node = 0; node < topology.nodeCount(); node++) {
                CommunicationServer server = CommunicationServer.start(all.environment().node(node).build(), settings);
                all.servers.add(server);
                addresses.add(ServerAddress.format(server.address()));
            }
            Path unfinished = Files.write(all.files.path().resolve("servers.new"), addresses);
            Files.move(unfinished, all.list(), StandardCopyOption.ATOMIC_MOVE);
            return all;
        } catch (IOException | RuntimeException e) {
            all.close();
            throw e;
        }
    }

    Gas attach(int rank) {
        return Gas.attach(environment().node(topology.nodeOf(rank)).rank(rank).build(), settings);
    }

    void abort(String reason) {
        servers.forEach(server -> server.abort(reason));
    }

    private JobEnvironment.Builder environment() {
        return JobEnvironment.builder().jobId(jobId).secret(secret).topology(topology).serversFile(list());
    }

    private Path list() {
        return files.path().resolve("servers");
    }

    @Override
    public void close() throws IOException {
        servers.forEach(CommunicationServer::close);
        files.close();
    }
}

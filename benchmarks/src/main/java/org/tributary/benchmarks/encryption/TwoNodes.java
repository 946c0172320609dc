package org.tributary.benchmarks.encryption;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.config.JobEnvironment;
import org.tributary.config.NetworkEncryption;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.server.CommunicationServer;
import org.tributary.wire.ServerAddress;

/**
 * A job of two nodes with a rank each, in this process: rank 0 belongs to the caller's thread, rank 1 blocks in a
 * barrier until the end.
 */
final class TwoNodes implements AutoCloseable {
    private final Topology topology = Topology.parse("2*1");
    private final List<CommunicationServer> servers = new ArrayList<>();
    private final Path serversFile = Files.createTempFile("tributary-servers", ".txt");
    private final Settings settings;
    private final String jobId;
    private final CompletableFuture<Void> other;
    private final Gas gas;
    private final GlobalMemory memory;

    TwoNodes(NetworkEncryption encryption, long bytes) throws IOException {
        jobId = "bench-" + ProcessHandle.current().pid() + "-" + encryption.ordinal();
        settings = Settings.builder().set("server.bind-address=127.0.0.1").set("job.on-failure=throw")
            .set("network.encryption=" + (encryption == NetworkEncryption.NONE ? "none" : "aes-gcm")).build();
        StringBuilder addresses = new StringBuilder();
        for (int node = 0; node < topology.nodeCount(); node++) {
            servers.add(CommunicationServer.start(environment(node).build(), settings));
            addresses.append(ServerAddress.format(servers.get(node).address())).append('\n');
        }
        Path complete = Files.writeString(serversFile.resolveSibling(serversFile.getFileName() + ".new"), addresses);
        Files.move(complete, serversFile, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        other = CompletableFuture.runAsync(() -> {
            try (Gas one = Gas.attach(environment(1).rank(1).build(), settings)) {
                GlobalMemory part = one.allocate(bytes);
                one.barrier();
                part.free();
            }
        }, task -> Thread.ofPlatform().daemon().name("rank-1").start(task));
        gas = Gas.attach(environment(0).rank(0).build(), settings);
        memory = gas.allocate(bytes);
    }

    private JobEnvironment.Builder environment(int node) {
        return JobEnvironment.builder().jobId(jobId).topology(topology).node(node).serversFile(serversFile)
            .secret("a benchmark has no secrets".getBytes(StandardCharsets.US_ASCII));
    }

    Gas gas() {
        return gas;
    }

    /** Rank 1's part is on the other node. */
    GlobalMemory memory() {
        return memory;
    }

    @Override
    public void close() throws IOException {
        gas.barrier();
        memory.free();
        gas.close();
        other.join();
        try {
            for (CommunicationServer server : servers) {
                server.awaitTermination();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        servers.forEach(CommunicationServer::close);
        Files.deleteIfExists(serversFile);
    }
}

package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;

/** Ranks start beside their server, and look for its socket until it is there. */
class LocalSocketTest {
    private static final int STARTS = 50;

    @Test
    void shouldAcceptWhenItsSocketHasAName(@TempDir Path shm) throws IOException {
        Settings settings = Settings.builder().set("server.bind-address=127.0.0.1").set("shm.directory=" + shm).build();
        for (int i = 0; i < STARTS; i++) {
            JobEnvironment job = JobEnvironment.builder().jobId("local" + i).secret(new byte[16])
                .topology(Topology.of(1)).node(0).build();
            Path socket = shm.resolve("tributary-local" + i + "-0").resolve("socket");
            CompletableFuture<String> rank = CompletableFuture.supplyAsync(() -> connectWhenThere(socket));
            try (CommunicationServer server = CommunicationServer.start(job, settings)) {
                assertEquals("connected", rank.join(), "to " + server.address() + " at start " + i);
            }
        }
    }

    /** Tries until there is something to connect to. */
    private static String connectWhenThere(Path socket) {
        while (true) {
            try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
                return channel.isConnected() ? "connected" : "not connected";
            } catch (IOException e) {
                if (!e.getMessage().contains("No such file")) {
                    return e.toString();
                }
            }
        }
    }
}

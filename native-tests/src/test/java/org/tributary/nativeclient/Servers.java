package org.tributary.nativeclient;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.tributary.client.Gas;
import org.tributary.config.CooperationScope;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.server.CommunicationServer;
import org.tributary.testsupport.TestedProviders;
import org.tributary.wire.ServerAddress;

/** The servers of one job, in this process: cheaper than {@code tributary run}, and ranks in Java may be threads. */
final class Servers implements AutoCloseable {
    /** What ranks of {@code tributary run} do; threads must not. */
    static final String EXIT = "job.on-failure=exit";
    private static final long DEADLINE_S = 100
        * Long.parseLong(System.getenv().getOrDefault("TEST_SLACK", "1")); // as in native/test/testing.h

    private final Topology topology;
    private final Settings settings;
    private final Path serversFile;
    private final List<CommunicationServer> servers = new ArrayList<>();

    Servers(Jobs jobs, String layout, List<String> assignments) throws IOException {
        topology = Topology.parse(layout);
        Settings.Builder builder = Settings.builder().set("server.bind-address=" + TestedProviders.ADDRESS)
            .set("shm.directory=" + jobs.shm()).set("attach.timeout", Jobs.ATTACH_TIMEOUT)
            .set("job.on-failure=throw");
        assignments.forEach(builder::set);
        settings = builder.build();
        serversFile = Files.createTempFile(jobs.work(), "servers", ".txt");
        StringBuilder addresses = new StringBuilder();
        for (int node = 0; node < topology.nodeCount(); node++) {
            servers.add(CommunicationServer.start(environment(node).build(), settings));
            addresses.append(ServerAddress.format(servers.get(node).address())).append('\n');
        }
        Path complete = Files.writeString(serversFile.resolveSibling("complete-servers.txt"), addresses);
        Files.move(complete, serversFile, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /**
     * Runs a job in which all end well.
     *
     * @param inC ranks that are processes of that command; what they print is returned
     * @param inJava what the others do, which are threads
     */
    static List<String> succeed(Jobs jobs, String layout, List<String> assignments, IntPredicate inC,
        List<String> command, Consumer<Gas> inJava) throws Exception {
        List<String> outputs = new ArrayList<>();
        try (Servers servers = new Servers(jobs, layout, assignments);
             ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Jobs.Running> processes = new ArrayList<>();
            List<Future<?>> inThreads = new ArrayList<>();
            for (int rank = 0; rank < servers.ranks(); rank++) {
                int self = rank;
                if (inC.test(rank)) {
                    processes.add(jobs.start(command, servers.variablesOf(rank)));
                } else {
                    inThreads.add(threads.submit(() -> {
                        try (Gas gas = servers.attach(self)) {
                            inJava.accept(gas);
                        }
                    }));
                }
            }
            for (Jobs.Running process : processes) {
                outputs.add(process.succeed());
            }
            for (Future<?> rank : inThreads) {
                rank.get(DEADLINE_S, TimeUnit.SECONDS);
            }
            servers.awaitGoodEnd();
            servers.assertRingsUsed();
        }
        jobs.assertNothingLeft();
        return outputs;
    }

    private JobEnvironment.Builder environment(int node) {
        return JobEnvironment.builder().jobId("native-test").secret(new byte[32]).topology(topology).node(node)
            .serversFile(serversFile);
    }

    private JobEnvironment environmentOf(int rank) {
        return environment(topology.nodeOf(rank)).rank(rank).build();
    }

    /** How many ranks the job has. */
    int ranks() {
        return topology.rankCount();
    }

    /** The variables of a rank that is a process. */
    Map<String, String> variablesOf(int rank) {
        Map<String, String> variables = new HashMap<>(settings.toEnvironment());
        variables.putAll(environmentOf(rank).toEnvironment());
        return variables;
    }

    /** Attaches a rank that is a thread of this process. */
    Gas attach(int rank) {
        return Gas.attach(environmentOf(rank), settings);
    }

    /** Waits until every server has ended by itself, because all ranks have left. */
    void awaitGoodEnd() throws InterruptedException {
        for (CommunicationServer server : servers) {
            CommunicationServer.Termination end = server.awaitTermination();
            if (!end.clean()) {
                throw new AssertionError("a server did not end well: " + end);
            }
        }
    }

    /** Waits until every server has ended by itself, because a rank has failed. */
    void awaitBadEnd() throws InterruptedException {
        for (CommunicationServer server : servers) {
            CommunicationServer.Termination end = server.awaitTermination();
            if (end.clean()) {
                throw new AssertionError("a server ended well: " + end);
            }
        }
    }

    /** Whether each rank has handed over something in its ring, if it has one, and the server has taken all of it. */
    void assertRingsUsed() throws IOException {
        boolean expected = settings.cooperationScope() == CooperationScope.NODE;
        for (int node = 0; node < servers.size(); node++) {
            Path rings = servers.get(node).directory().resolve("rings");
            if (Files.exists(rings) != expected) {
                throw new AssertionError(rings + (expected ? " is not there" : " is there"));
            }
            if (expected) {
                ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(rings)).order(ByteOrder.LITTLE_ENDIAN);
                int localRanks = topology.rankCount(node);
                for (int i = 0; i < localRanks; i++) {
                    int ring = 256 + i * ((file.capacity() - 256) / localRanks);
                    if (file.getLong(ring) == 0 || file.getLong(ring) != file.getLong(ring + 128)) {
                        throw new AssertionError("ring " + i + " of node " + node + ": " + file.getLong(ring)
                            + " bytes written, " + file.getLong(ring + 128) + " taken");
                    }
                }
            }
        }
    }

    @Override
    public void close() {
        servers.forEach(CommunicationServer::close);
    }
}

package org.tributary.benchmarks.onesided;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.benchmarks.limits.RawLimits;
import org.tributary.benchmarks.results.ResultFiles;
import org.tributary.benchmarks.results.Results;
import org.tributary.benchmarks.results.Run;
import org.tributary.client.Gas;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.server.CommunicationServer;

class SuiteTest {
    private static final Topology TOPOLOGY = Topology.uniform(2, 1);
    private static final byte[] SECRET = new byte[32];
    private static final long LIMIT_SECONDS = 400;

    @TempDir
    private Path directory;
    private final String jobId = "suite-" + ProcessHandle.current().pid() + "-" + System.nanoTime() % 1_000_000;
    private final Settings settings = Settings.defaults();
    private final List<CommunicationServer> servers = new ArrayList<>();
    private final ExecutorService ranks = Executors.newFixedThreadPool(TOPOLOGY.rankCount());
    private final ByteArrayOutputStream table = new ByteArrayOutputStream();

    @BeforeEach
    void startServers() throws Exception {
        for (int node = 0; node < TOPOLOGY.nodeCount(); node++) {
            servers.add(CommunicationServer.start(description().node(node).build(), settings));
        }
        Files.write(serversFile(), servers.stream().map(server -> "127.0.0.1:" + server.address().getPort()).toList());
    }

    @AfterEach
    void stopServers() {
        ranks.shutdownNow();
        servers.forEach(CommunicationServer::close);
    }

    @Test
    @Timeout(900)
    void shouldMeasureEveryOperationOnEveryPathWhenJobHasTwoNodes() throws Exception {
        Workload workload = new Workload(List.of(Op.values()), List.of(16L << 10, 256L << 10), List.of(Route.values()),
            List.of(TargetState.values()), 20, new Rows(64, 512, 1024));
        List<Case> plan = Plan.of(workload, TOPOLOGY);
        Path json = directory.resolve("results.json");

        Future<Void> target = ranks.submit(() -> rank(1, workload, plan, null));
        Future<Void> origin = ranks.submit(() -> rank(0, workload, plan, json));
        origin.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        target.get(LIMIT_SECONDS, TimeUnit.SECONDS);

        Results results = ResultFiles.read(json);
        assertEquals("a job of 2 nodes", results.command());
        // Aims: fetch-and-add and lock with a blocked target, and twice with one that computes; strided; rates.
        assertEquals(List.of(10, 4, plan.size()), results.tables().stream().map(each -> each.rows().size()).toList());
        for (Op op : Op.values()) {
            assertTrue(results.tables().getLast().rows().stream()
                .anyMatch(row -> row.getFirst().equals(op.toString())), op::toString);
        }
        String printed = table.toString(StandardCharsets.UTF_8);
        assertEquals(plan.size(), Arrays.stream(printed.split("\n")).filter(line -> line.contains(" blocked ")
            || line.contains(" computing ")).count(), printed);
    }

    private Void rank(int rank, Workload workload, List<Case> plan, Path json) throws Exception {
        JobEnvironment job = description().rank(rank).build();
        Report report = json == null ? null : new Report(new PrintStream(table, true, StandardCharsets.UTF_8),
            new Run(json, false, "one-sided", "latencies", "a job of 2 nodes"));
        try (Gas gas = Gas.attach(job, settings); Suite suite = new Suite(gas, job, workload, plan)) {
            RawLimits limits = suite.measureLimits();
            List<Result> results = suite.run(limits, report);
            if (report != null) {
                report.limits(limits);
                report.write(limits, results);
            }
        }
        return null;
    }

    private JobEnvironment.Builder description() {
        return JobEnvironment.builder().jobId(jobId).secret(SECRET).topology(TOPOLOGY).serversFile(serversFile());
    }

    private Path serversFile() {
        return directory.resolve("servers");
    }
}

package org.tributary.launcher.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.launcher.bind.BindPolicy;

class LocalNodesTest {
    private final String jobId = "nodes-" + Long.toString(ThreadLocalRandom.current().nextLong(1L << 40), 36);

    /** The server lives on after SIGTERM, and after the end of its input. */
    @Test
    void shouldKillItsProcessesWhenTheirGracefulEndIsCutShort(@TempDir Path folder) throws Exception {
        Path up = folder.resolve("up");
        Topology topology = Topology.uniform(1, 1);
        JobPlan plan = new JobPlan(topology, Settings.builder().set("job.grace=5min").build(), List.of("/bin/sh", "-c",
            "trap '' TERM; : > '" + up + "'; while :; do sleep 0.05; done"), List.of("true"), Map.of(), false, 0,
            false);
        LineSink sink = new LineSink(OutputStream.nullOutputStream());
        LocalNodes nodes = new LocalNodes(plan, NodeShare.whole(jobId, topology, BindPolicy.NONE), event -> { },
            StandardInput.none(), sink, sink);
        try {
            nodes.startServers();
            JobHarness.await(() -> Files.exists(up));
            Thread.currentThread().interrupt();
            assertThrows(InterruptedException.class, nodes::close);
            JobHarness.await(() -> JobProcesses.ofJob(jobId).running().isEmpty());
        } finally {
            JobProcesses.ofJob(jobId).running().forEach(ProcessHandle::destroyForcibly);
        }
    }

    /** Groups of one node each forward nothing. */
    @ParameterizedTest
    @CsvSource({"1, 8", "2, 1"})
    void shouldTellServersTheThreadsThatAreSetWhenNodesOnlySeemToCooperate(int groupSize, int threads,
        @TempDir Path folder) throws Exception {
        Path told = folder.resolve("told");
        Topology topology = Topology.uniform(2, 1);
        Settings settings = Settings.builder().set("server.threads=8").set("cooperation.mode=forward")
            .set("cooperation.group-size=" + groupSize).build();
        JobPlan plan = new JobPlan(topology, settings, List.of("/bin/sh", "-c",
            "echo $TRIBUTARY_SERVER_THREADS >> '" + told + "'"), List.of("true"), Map.of(), false, 0, false);
        LineSink sink = new LineSink(OutputStream.nullOutputStream());
        LocalNodes nodes = new LocalNodes(plan, NodeShare.whole(jobId, topology, BindPolicy.NONE), event -> { },
            StandardInput.none(), sink, sink);
        try {
            nodes.startServers();
            JobHarness.await(() -> JobProcesses.ofJob(jobId).running().isEmpty());
            assertEquals(List.of("" + threads, "" + threads), Files.readAllLines(told));
        } finally {
            nodes.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 2, 1", "4, 1, 4", "5, 2, 4", "64, 2, 4", "6, 6, 6", "64, 6, 6", "64, 16, 16"})
    void shouldShareProcessesOfServersWhenThereAreMoreNodesThanProcessorsAndThanFour(int nodes, int processors,
        int processes) {
        assertEquals(processes, LocalNodes.serverProcesses(nodes, processors));
    }

    /** Each process is told its first node, and how many it serves if there are several. */
    @Test
    void shouldServeEachNodeOnceWhenProcessesServeSeveral(@TempDir Path folder) throws Exception {
        Path told = folder.resolve("told");
        int count = 3 * Math.max(4, Runtime.getRuntime().availableProcessors());
        Topology topology = Topology.uniform(count, 1);
        JobPlan plan = new JobPlan(topology, Settings.builder().build(), List.of("/bin/sh", "-c",
            "echo $TRIBUTARY_NODE $1 >> '" + told + "'", "server"), List.of("true"), Map.of(), false, 0, false);
        LineSink sink = new LineSink(OutputStream.nullOutputStream());
        LocalNodes nodes = new LocalNodes(plan, NodeShare.whole(jobId, topology, BindPolicy.NONE), event -> { },
            StandardInput.none(), sink, sink);
        try {
            nodes.startServers();
            JobHarness.await(() -> JobProcesses.ofJob(jobId).running().isEmpty());
            List<Integer> served = Files.readAllLines(told).stream().map(line -> line.split(" "))
                .flatMap(words -> IntStream.range(0, Integer.parseInt(words[1]))
                    .mapToObj(node -> Integer.parseInt(words[0]) + node)).sorted().toList();
            assertEquals(IntStream.range(0, count).boxed().toList(), served);
            assertEquals(LocalNodes.serverProcesses(count, Runtime.getRuntime().availableProcessors()),
                Files.readAllLines(told).size());
        } finally {
            nodes.close();
        }
    }
}

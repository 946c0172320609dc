package org.tributary.launcher.job;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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
}

package org.tributary.launcher.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Topology;

class SupervisorTest {
    private final List<String> orders = new ArrayList<>();
    private final Supervisor supervisor = new Supervisor(
        JobEnvironment.builder().jobId("supervisor-test").secret(new byte[16]).topology(Topology.of(1)).node(0).build(),
        1, 200_000_000L, new Supervisor.Orders() {
            @Override
            public void end() {
                orders.add("end");
            }

            @Override
            public void abort(String reason) {
                orders.add("abort " + reason);
            }
        });

    @Test
    void shouldPassOrdersOnWhenLauncherLives() throws InterruptedException {
        obey("abort rank 1 failed\nend\n");
        assertEquals(List.of("abort rank 1 failed", "end"), orders);
        supervisor.awaitReaping();
    }

    @Test
    void shouldGoOnWhenReleased() throws InterruptedException {
        obey("release\n");
        supervisor.awaitReaping();
        assertEquals(List.of(), orders);
    }

    @Test
    void shouldEndRanksAndTheirChildrenWhenLauncherDies() throws Exception {
        Process rank = new ProcessBuilder("/bin/sh", "-c", "trap '' TERM; sleep 100 & echo $!; while :; do wait; done")
            .redirectErrorStream(true).start();
        String child = rank.inputReader().readLine();
        ProcessHandle grandchild = ProcessHandle.of(Long.parseLong(child)).orElseThrow();
        obey("pid " + rank.pid() + "\n");
        supervisor.awaitReaping();
        assertEquals(137, rank.waitFor());
        assertEquals(1, orders.size());
        assertTrue(orders.getFirst().contains("launcher"), orders.toString());
        assertFalse(grandchild.info().command().isPresent(), "a dead process has no command");
    }

    private void obey(String lines) {
        supervisor.obey(new ByteArrayInputStream(lines.getBytes(StandardCharsets.UTF_8)));
    }
}

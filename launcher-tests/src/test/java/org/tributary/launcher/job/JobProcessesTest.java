package org.tributary.launcher.job;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class JobProcessesTest {
    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void endAll() {
        started.stream().flatMap(process -> process.descendants()).toList().forEach(ProcessHandle::destroyForcibly);
        started.forEach(Process::destroyForcibly);
    }

    /** A shell with a child and a grandchild. */
    private long family() throws Exception {
        Process shell = new ProcessBuilder("/bin/sh", "-c", "sh -c 'sleep 100 & wait' & wait").start();
        started.add(shell);
        JobHarness.await(() -> shell.descendants().count() == 2 && shell.descendants()
            .anyMatch(process -> process.info().command().orElse("").endsWith("sleep")));
        return shell.pid();
    }

    @Test
    void shouldFindAllGenerationsBelowSomeChildrenAndNoneOfOthers() throws Exception {
        long one = family();
        long other = family();
        long third = family();
        List<ProcessHandle> found = JobProcesses.below(Set.of(one, other));
        assertEquals(started.stream().filter(process -> process.pid() != third).flatMap(Process::descendants)
            .collect(Collectors.toSet()), Set.copyOf(found));
        assertEquals(4, found.size());
        assertEquals(List.of(), JobProcesses.below(Set.of()));
    }
}

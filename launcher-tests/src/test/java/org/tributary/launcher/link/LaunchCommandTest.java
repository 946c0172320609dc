package org.tributary.launcher.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.ConfigException;

class LaunchCommandTest {
    @Test
    void shouldQuoteForTheOtherShellWhenSsh() {
        List<String> command = LaunchCommand.ssh().on("b", List.of("/opt/a b/java", "-Xmx1g", "it's"));
        assertEquals(List.of("b", "'/opt/a b/java'", "-Xmx1g", "'it'\\''s'"),
            command.subList(command.size() - 4, command.size()));
    }

    /** Not so where that is a word of the other host's. */
    @Test
    void shouldQuoteForTheOtherShellWhenSshIsNotTheFirstWord() {
        for (String line : List.of("env A=b ssh {host}", "timeout 600 /usr/bin/ssh -x {host}", "sudo -u me ssh")) {
            LaunchCommand command = LaunchCommand.parse(line);
            assertEquals("'a b'", command.on("b", List.of("a b")).getLast(), line);
            assertTrue(command.program("b", List.of("a")).endsWith("ssh"), line);
        }
        for (String line : List.of("docker exec -i {host} ssh", "mpiexec.hydra -launcher ssh -n 1 -hosts {host}",
            "env SSH_ASKPASS=/usr/lib/ssh/ssh-askpass kubectl exec -i {host} --", "kubectl exec -c ssh -i {host} --",
            "env GIT_SSH=/usr/bin/ssh srun --nodelist={host}")) {
            LaunchCommand command = LaunchCommand.parse(line);
            assertEquals("-Xlog:aot*=off", command.on("b", List.of("-Xlog:aot*=off")).getLast(), line);
            assertEquals(line.substring(0, line.indexOf(' ')), command.program("b", List.of("a")), line);
        }
    }

    @Test
    void shouldPutHostWhereItIsAskedForWhenCommandIsTheUsers() {
        assertEquals(List.of("setsid", "kubectl", "exec", "-i", "b", "--", "a b"),
            LaunchCommand.parse("kubectl exec -i {host} --").on("b", List.of("a b")));
        assertEquals(List.of("setsid", "sh", "-c", "echo 'x'", "b", "run"),
            LaunchCommand.parse(" sh -c  \"echo 'x'\" ").on("b", List.of("run")));
    }

    @Test
    void shouldNotTellSrunOfATasksCoresWhenTheAllocationHasSome(@TempDir Path directory) throws Exception {
        Path srun = Files.createFile(directory.resolve("srun"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.writeString(srun, "#!/bin/sh\necho \"arguments $*\"\nexec env\n");
        ProcessBuilder builder = new ProcessBuilder(LaunchCommand.srun().on("h7", List.of("agent")));
        Map<String, String> environment = builder.environment();
        environment.put("PATH", directory + ":" + environment.get("PATH"));
        List.of("SLURM_EXACT", "SLURM_EXCLUSIVE", "SRUN_CPUS_PER_TASK", "SLURM_CPUS_PER_TASK", "SLURM_TRES_PER_TASK",
            "SLURM_CPUS_PER_GPU", "SLURM_THREADS_PER_CORE", "SLURM_HINT", "SLURM_CPU_BIND")
            .forEach(variable -> environment.put(variable, "1"));
        environment.put("SLURM_JOB_ID", "4711");
        environment.put("SLURM_CONF", "/etc/other.conf");
        Process process = builder.redirectErrorStream(true).start();
        List<String> lines = process.inputReader().readAllLines();
        assertEquals(0, process.waitFor(), lines::toString);
        assertEquals(List.of("SLURM_CONF=/etc/other.conf", "SLURM_JOB_ID=4711"),
            lines.stream().filter(line -> line.matches("(SLURM|SRUN)_.*")).sorted().toList());
        assertTrue(lines.getFirst().matches("arguments --overlap .*--cpu-bind=none .*--nodelist=h7 agent"),
            lines.getFirst());
    }

    @Test
    void shouldCallTheCommandByTheProgramThatReachesTheHost() {
        List<String> agent = List.of("env", "LC_ALL=C.UTF-8", "/opt/java", "agent");
        assertEquals("srun", LaunchCommand.srun().program("h7", agent));
        assertEquals("srun", LaunchCommand.of(LaunchCommand.srun().words()).program("h7", agent), "of an agent");
        assertEquals("ssh", LaunchCommand.ssh().program("h7", agent));
        assertEquals("/opt/java", LaunchCommand.ssh().program("localhost", agent));
        assertEquals("kubectl", LaunchCommand.parse("kubectl exec -i {host} --").program("h7", agent));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "  ", "ssh 'x"})
    void shouldRefuseWhenCommandIsNone(String line) {
        assertThrows(ConfigException.class, () -> LaunchCommand.parse(line));
    }
}

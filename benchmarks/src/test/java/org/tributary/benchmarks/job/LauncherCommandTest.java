package org.tributary.benchmarks.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LauncherCommandTest {
    @Test
    void shouldTakeTheCommandUpToItsProgramWhenThatIsALauncher() {
        assertEquals(List.of("java", "-Xmx1g", "-jar", "/opt/tributary-launcher.jar", "run", "--nodes", "2"),
            LauncherCommand.of(List.of("java", "-Xmx1g", "-jar", "/opt/tributary-launcher.jar", "bench", "start"))
                .run(List.of("--nodes", "2")).command());
        assertEquals(List.of("java", "-cp", "a:b/tributary-launcher.jar", "org.tributary.launcher.Main", "run"),
            LauncherCommand.of(List.of("java", "-cp", "a:b/tributary-launcher.jar", "org.tributary.launcher.Main",
                "agent")).run(List.of()).command());
    }

    @Test
    void shouldKeepSettingsAndNothingElseOfTheJobWhenItStartsAnother() {
        Map<String, String> environment = new HashMap<>(Map.of("PATH", "/bin", "TRIBUTARY_SHM_DIRECTORY", "/shm",
            "TRIBUTARY_SERVER_PORT", "7411", "TRIBUTARY_SERVER_METRICS_PORT", "7412",
            "TRIBUTARY_RANK", "0", "TRIBUTARY_JOB_ID", "outer", "TRIBUTARY_TRACE", "/traces"));
        LauncherCommand.keepSettings(environment);
        assertEquals(Map.of("PATH", "/bin", "TRIBUTARY_SHM_DIRECTORY", "/shm"), environment);
    }

    @Test
    void shouldRefuseWhenTheParentIsNoLauncher() {
        assertNull(LauncherCommand.of(List.of("srun", "-n", "2", "tributary-launcher.jar")));
    }
}

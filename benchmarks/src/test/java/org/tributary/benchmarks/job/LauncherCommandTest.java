package org.tributary.benchmarks.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
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
    void shouldRefuseWhenTheParentIsNoLauncher() {
        assertNull(LauncherCommand.of(List.of("srun", "-n", "2", "tributary-launcher.jar")));
    }
}

package org.tributary.benchmarks.start;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;

class LauncherTest {
    @Test
    void shouldTakeTheCommandUpToItsProgramWhenThatIsALauncher() {
        assertEquals(List.of("java", "-Xmx1g", "-jar", "/opt/tributary-launcher.jar", "run", "--nodes", "2", "--set",
            "attach.timeout=600s", "--", "true"), Launcher.of(List.of("java", "-Xmx1g", "-jar",
            "/opt/tributary-launcher.jar", "bench", "start")).command(List.of("--nodes", "2")));
        assertEquals(List.of("java", "-cp", "a:b/tributary-launcher.jar", "org.tributary.launcher.Main", "run", "--set",
            "attach.timeout=600s", "--", "true"), Launcher.of(List.of("java", "-cp", "a:b/tributary-launcher.jar",
            "org.tributary.launcher.Main", "agent")).command(List.of()));
    }

    @Test
    void shouldRefuseWhenTheParentIsNoLauncher() {
        assertNull(Launcher.of(List.of("srun", "-n", "2", "tributary-launcher.jar")));
    }
}

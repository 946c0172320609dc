package org.tributary.launcher.job;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.tributary.config.Settings;

class ChildEnvironmentTest {
    @Test
    void shouldForgetWhatLauncherInheritedWhenSettingsSayOtherwise() {
        Map<String, String> environment = new HashMap<>(Map.of("TRIBUTARY_WAIT_SPIN", "7us", "TRIBUTARY_RANK", "9",
            "SLURM_PROCID", "9", "PATH", "/bin"));
        of(Settings.defaults()).forRank(environment, Map.of("A", "b"), Map.of("TRIBUTARY_RANK", "0"));
        assertEquals(Map.of("PATH", "/bin", "A", "b", "TRIBUTARY_RANK", "0"), environment);
    }

    @Test
    void shouldListenOnLoopbackWhenNothingElseIsAsked() {
        assertEquals("127.0.0.1", of(Settings.defaults()).serverSettings(0).serverBindAddress());
        Settings asked = Settings.builder().set("server.bind-address=0.0.0.0").build();
        assertEquals("0.0.0.0", of(asked).serverSettings(0).serverBindAddress());
    }

    @Test
    void shouldCountPortsUpWhenFixed() {
        Settings fixed = Settings.builder().set("server.port=5000").set("server.metrics-port=9100").build();
        assertEquals(5002, of(fixed).serverSettings(2).serverPort());
        assertEquals(9102, of(fixed).serverSettings(2).serverMetricsPort());
        assertEquals(-1, of(Settings.defaults()).serverSettings(2).serverMetricsPort());
    }

    @Test
    void shouldLeaveSettingsAloneWhenEachNodeHasAMachine() {
        ChildEnvironment environment = new ChildEnvironment(Settings.builder().set("server.port=5000").build(), false);
        assertEquals(5000, environment.serverSettings(2).serverPort());
        assertEquals("0.0.0.0", environment.serverSettings(2).serverBindAddress());
    }

    @Test
    void shouldTellServersHowManyLoopsTheyHave() {
        Map<String, String> variables = new HashMap<>();
        of(Settings.defaults()).forServer(variables, Map.of(), 0, 3);
        assertEquals("3", variables.get("TRIBUTARY_SERVER_THREADS"));
        of(Settings.builder().set("server.threads=8").build()).forServer(variables, Map.of(), 0, 1);
        assertEquals(1, Settings.builder().environment(variables).build().serverThreads());
    }

    private static ChildEnvironment of(Settings settings) {
        return new ChildEnvironment(settings, true);
    }
}

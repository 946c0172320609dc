package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tributary.launcher.job.Libraries;

/** Jars of the distribution that ranks have on their class path. */
final class LibrariesTest {
    @BeforeEach
    void assumeBuilt() {
        assumeTrue(Libraries.RANK.jars().contains("/rank/"), "tested before it is packaged");
    }

    private static List<String> jars(Libraries libraries) {
        return List.of(libraries.jars().split(":"));
    }

    @Test
    void shouldHoldTheApiAloneWhenRanksAreOfAUser() {
        assertEquals(Set.of("agrona", "tributary-aggregation", "tributary-client-lib", "tributary-config",
            "tributary-cooperation", "tributary-fabric", "tributary-global-arrays", "tributary-wire"),
            names(Libraries.RANK));
    }

    @Test
    void shouldHoldLibrariesOfOthersAloneWhenTheyAreForAnAdapter() {
        assertEquals(Set.of("asm", "asm-analysis", "asm-commons", "asm-tree", "asm-util", "jffi", "jnr-a64asm",
            "jnr-ffi", "jnr-x86asm"), names(Libraries.ADAPTER));
    }

    private static Set<String> names(Libraries libraries) {
        return jars(libraries).stream().map(jar -> Path.of(jar).getFileName().toString())
            .map(name -> name.replaceFirst("-[0-9].*", "")).collect(Collectors.toSet());
    }

    /** Where a rank that nobody has launched looks for it, to start its server. */
    @Test
    void shouldHaveTheLauncherAboveThemWhenRanksAreOfAUser() {
        for (String jar : jars(Libraries.RANK)) {
            assertTrue(Files.isReadable(Path.of(jar).resolve("../../tributary-launcher.jar").normalize()), jar);
        }
    }

    @Test
    void shouldMissNoClassWhenRanksUseAllOfThem() {
        assertEquals("", missing(Libraries.RANK, Libraries.ADAPTER));
    }

    /** Nothing but the calls of libfabric, which no job makes without a network adapter. */
    @Test
    void shouldMissLibrariesOfOthersInOneJarWhenThereIsNoAdapter() {
        String missing = missing(Libraries.RANK);
        assertTrue(missing.contains("jnr.ffi"), missing);
        for (String line : missing.lines().filter(line -> !line.isBlank()).toList()) {
            assertTrue(line.matches("(tributary-fabric-| +org[.]tributary[.]fabric[. ]).*"), line);
        }
    }

    private static String missing(Libraries... libraries) {
        StringWriter output = new StringWriter();
        List<String> arguments = new ArrayList<>(List.of("--missing-deps", "--multi-release", "25"));
        for (Libraries each : libraries) {
            arguments.addAll(jars(each));
        }
        PrintWriter writer = new PrintWriter(output, true);
        assertEquals(0, ToolProvider.findFirst("jdeps").orElseThrow()
            .run(writer, writer, arguments.toArray(String[]::new)), output::toString);
        return output.toString();
    }

    @Test
    void shouldHaveServersAndMeasurementsWhenRanksAreOfBenchmarks() {
        for (String name : List.of("netty-transport", "jmh-core", "tributary-runtime-server", "picocli")) {
            assertTrue(has(Libraries.ALL, name), name);
            assertFalse(has(Libraries.RANK, name), name);
        }
        assertTrue(has(Libraries.PROGRAM, "tributary-mini-apps") && !has(Libraries.PROGRAM, "netty"));
    }

    private static boolean has(Libraries libraries, String name) {
        return Stream.of(libraries.jars().split(":")).anyMatch(jar -> jar.contains("/" + name));
    }
}

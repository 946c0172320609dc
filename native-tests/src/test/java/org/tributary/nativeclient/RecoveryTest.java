package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A rank in C that cannot do what all do together: everybody hears why, nothing is left, and the job goes on. */
final class RecoveryTest {
    @BeforeEach
    void assumeBuilt() {
        NativeBuild.assumeBuilt();
    }

    private static void succeed(String layout, List<String> settings, Path program, String how) throws Exception {
        try (Jobs jobs = new Jobs()) {
            List<String> all = new ArrayList<>(settings);
            all.add(Servers.EXIT);
            for (String output : Servers.succeed(jobs, layout, all, rank -> true,
                List.of(program.toString(), how, jobs.shm().toString()), gas -> { })) {
                assertEquals(1, output.lines().filter(line -> line.contains("recovery: all well")).count(), output);
            }
        }
    }

    /** Without sanitizers, which need addresses themselves. */
    @ParameterizedTest
    @ValueSource(strings = {"2", "1,2", "cyclic:2,2"})
    void shouldTellEveryRankWhenOneCannotMap(String layout) throws Exception {
        succeed(layout, List.of(), NativeBuild.program("recovery"), "map");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "2,1", "cyclic:2,2"})
    void shouldTellEveryRankWhenOneServerRefuses(String layout) throws Exception {
        succeed(layout, List.of(), NativeBuild.sanitizedProgram("recovery"), "create");
    }

    @ParameterizedTest
    @CsvSource({"process", "node"})
    void shouldAttachLaterWhenTheFirstAttemptFailed(String scope) throws Exception {
        succeed("1,1", List.of("cooperation.mode=combine", "cooperation.scope=" + scope),
            NativeBuild.sanitizedProgram("recovery"), "attach");
    }

    /** With sanitizers, of which one finds memory that nobody gives back. */
    @Test
    void shouldLeaveNothingBehindWhenItCannotAttach() throws Exception {
        try (Jobs jobs = new Jobs()) {
            Path traces = Files.createDirectory(jobs.work().resolve("traces"));
            String output = jobs.run("1", List.of(), NativeBuild.sanitizedProgram("attaching"),
                traces.toString()).succeed();
            assertTrue(output.contains("attaching: all well"), output);
            jobs.assertNothingLeft();
        }
    }
}

package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A rank in C that cannot do what all do together: everybody hears why, nothing is left, and the job goes on. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class RecoveryTest {
    @BeforeEach
    void assumeBuilt() {
        NativeBuild.assumeBuilt();
    }

    private static void succeed(String layout, List<String> options, Object program, String how) throws Exception {
        int ranks = layout.chars().filter(Character::isDigit).map(c -> c - '0').sum();
        try (Jobs jobs = new Jobs()) {
            String output = jobs.run(layout, options, program, how, jobs.shm()).succeed();
            assertEquals(ranks, output.lines().filter(line -> line.contains("recovery: all well")).count(), output);
            jobs.assertNothingLeft();
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
        succeed("1,1", List.of("--set", "cooperation.mode=combine", "--set", "cooperation.scope=" + scope),
            NativeBuild.sanitizedProgram("recovery"), "attach");
    }
}

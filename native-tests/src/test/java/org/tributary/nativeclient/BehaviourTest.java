package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every operation of the C client on ranks of one node and of several. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class BehaviourTest {
    @BeforeEach
    void assumeBuilt() {
        NativeBuild.assumeBuilt();
    }

    private static void allWell(String layout, int ranks, List<String> options, Object... command)
        throws IOException, InterruptedException {
        try (Jobs jobs = new Jobs()) {
            String output = jobs.run(layout, options, command).succeed();
            assertEquals(ranks, output.lines().filter(line -> line.contains("all well")).count(), output);
            jobs.assertNothingLeft();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "3", "1,1", "2,1,2", "cyclic:2,1,2"})
    void shouldBehaveAloneAndOnOneAndSeveralNodes(String layout) throws Exception {
        int ranks = layout.chars().filter(Character::isDigit).map(c -> c - '0').sum();
        allWell(layout, ranks, List.of(), NativeBuild.program("behaviour"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"2,2", "3", "cyclic:2,2"})
    void shouldBehaveUnderSanitizers(String layout) throws Exception {
        int ranks = layout.chars().filter(Character::isDigit).map(c -> c - '0').sum();
        allWell(layout, ranks, List.of(), NativeBuild.sanitizedProgram("behaviour"));
    }

    @Test
    void shouldBehaveWithSmallBuffersAndMessages() throws Exception {
        allWell("2,1", 3, List.of("--set", "client.buffer=4k", "--set", "message.max-payload=64k", "--set",
            "collective.chunk=128"), NativeBuild.sanitizedProgram("behaviour"));
    }

    @Test
    void shouldBehaveUnderValgrind() throws Exception {
        allWell("1,1", 2, List.of(), NativeBuild.assumeTool("valgrind"), "-q", "--error-exitcode=9",
            "--leak-check=full", NativeBuild.program("behaviour"));
    }
}

package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.testsupport.Thorough;

/** Every operation of the C client on ranks of one node and of several. */
final class BehaviourTest {
    @BeforeEach
    void assumeBuilt() {
        NativeBuild.assumeBuilt();
    }

    private static void allWell(String layout, List<String> settings, Object... command) throws Exception {
        try (Jobs jobs = new Jobs()) {
            List<String> all = new ArrayList<>(settings);
            all.add(Servers.EXIT);
            for (String output : Servers.succeed(jobs, layout, all, rank -> true,
                Stream.of(command).map(Object::toString).toList(), gas -> { })) {
                assertEquals(1, output.lines().filter(line -> line.contains("all well")).count(), output);
            }
        }
    }

    /** The layouts left out are in part those with sanitizers. */
    static Stream<String> layouts() {
        return Stream.concat(Stream.of("1", "2,1,2"), Thorough.only(Stream.of("3", "1,1", "cyclic:2,1,2")));
    }

    @ParameterizedTest
    @MethodSource("layouts")
    void shouldBehaveAloneAndOnOneAndSeveralNodes(String layout) throws Exception {
        allWell(layout, List.of(), NativeBuild.program("behaviour"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"2,2", "3", "cyclic:2,2"})
    void shouldBehaveUnderSanitizers(String layout) throws Exception {
        allWell(layout, List.of(), NativeBuild.sanitizedProgram("behaviour"));
    }

    @Test
    void shouldBehaveWithSmallBuffersAndMessages() throws Exception {
        allWell("2,1", List.of("client.buffer=4k", "message.max-payload=64k", "collective.chunk=128"),
            NativeBuild.sanitizedProgram("behaviour"));
    }

    @Test
    void shouldBehaveUnderValgrind() throws Exception {
        allWell("1,1", List.of(), NativeBuild.assumeTool("valgrind"), "-q", "--error-exitcode=9",
            "--leak-check=full", NativeBuild.program("behaviour"));
    }
}

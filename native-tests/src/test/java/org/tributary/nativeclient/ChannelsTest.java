package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tributary.config.ChannelDesign;
import org.tributary.testsupport.TestedProviders;
import org.tributary.testsupport.Thorough;

/** Requests of ranks in C that go by channels of a network adapter. */
final class ChannelsTest {
    private static final Pattern WRITTEN = Pattern.compile("has written (\\d+) messages");

    @BeforeEach
    void assumeBuilt() {
        NativeBuild.assumeBuilt();
        assumeTrue(Files.exists(NativeBuild.fabric()), "libfabric is not installed");
    }

    private static long run(String layout, String provider, String channels, List<String> command) throws Exception {
        try (Jobs jobs = new Jobs()) {
            List<String> outputs = Servers.succeed(jobs, layout, List.of("network.fabric=" + provider,
                "fabric.channels=" + channels, Servers.EXIT), rank -> true, command, gas -> { });
            long written = 0;
            for (String output : outputs) {
                assertEquals(1, output.lines().filter(line -> line.contains("all well")).count(), output);
                written += WRITTEN.matcher(output).results().mapToLong(found -> Long.parseLong(found.group(1))).sum();
            }
            return written;
        }
    }

    /**
     * With as many channels as ranks need, of each design and of two sizes; with one; with none. By default, several
     * providers share the rows: each has every design, with the size that the next design and the next provider lack.
     */
    static Stream<Arguments> models() {
        Stream<String> designs = Arrays.stream(ChannelDesign.values())
            .flatMap(design -> Stream.of("8:" + design, "8:" + design + ":16k"));
        List<String> channels = Stream.concat(designs, Stream.of("1", "0")).toList();
        List<String> providers = TestedProviders.names().toList();
        boolean all = Thorough.isOn() || providers.size() == 1;
        return IntStream.range(0, providers.size()).boxed().flatMap(provider -> IntStream.range(0, channels.size())
            .filter(row -> all || (provider + row / 2 + row) % 2 == 0)
            .mapToObj(row -> Arguments.of(providers.get(provider), channels.get(row))));
    }

    @ParameterizedTest
    @MethodSource("models")
    void shouldTakeEffectInOrderWhicheverWayRequestsGo(String provider, String channels) throws Exception {
        long written = run("2,1,2", provider, channels, List.of(NativeBuild.program("channels").toString(), "model"));
        assertEquals(!channels.equals("0"), written > 0, () -> written + " messages");
    }

    static Stream<String> providers() {
        return Stream.concat(TestedProviders.names().limit(1), Thorough.only(TestedProviders.names().skip(1)));
    }

    @ParameterizedTest
    @MethodSource("providers")
    void shouldTakeEffectInOrderUnderSanitizers(String provider) throws Exception {
        Path file = NativeBuild.sanitizedProgram("channels");
        assertTrue(run("2,1", provider, "8", List.of("env", "LD_LIBRARY_PATH=" + file.getParent().getParent(),
            file.toString(), "model")) > 100);
    }

    @ParameterizedTest
    @MethodSource("org.tributary.testsupport.TestedProviders#names")
    void shouldHaveTheChannelInTurnsWhenThereIsOne(String provider) throws Exception {
        assertTrue(run("1,1,1", provider, "1", List.of(NativeBuild.program("channels").toString(), "turns")) > 0);
    }

    @ParameterizedTest
    @MethodSource("providers")
    void shouldBehaveAsWithoutChannels(String provider) throws Exception {
        assertEquals(0, run("2,1,2", provider, "4", List.of(NativeBuild.program("behaviour").toString())));
    }
}

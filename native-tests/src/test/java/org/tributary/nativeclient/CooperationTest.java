package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.wire.record.KernelTls;

/** Ranks in C in jobs whose nodes cooperate: they take routes, and direct connections when these are worth it. */
final class CooperationTest {
    private static final Pattern CONNECTIONS = Pattern.compile("connections: (\\d+)");

    @BeforeEach
    void assumeBuilt() {
        NativeBuild.assumeBuilt();
    }

    /** Runs a program on the ranks that are in C and {@link InteropRank} on the others; what the former print. */
    private static List<String> run(String layout, IntPredicate inC, List<String> settings, Path program,
        String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        try (Jobs jobs = new Jobs()) {
            List<String> outputs = Servers.succeed(jobs, layout, settings, inC, command, InteropRank::run);
            outputs.forEach(output -> assertTrue(output.contains("all well on rank"), output));
            return outputs;
        }
    }

    private static List<String> cooperating(String mode, String scope, String... more) {
        List<String> settings = new ArrayList<>(List.of("cooperation.mode=" + mode, "cooperation.scope=" + scope));
        settings.addAll(List.of(more));
        return settings;
    }

    @ParameterizedTest
    @CsvSource({"forward, process, 8", "forward, node, 8", "aggregate, process, 0", "aggregate, node, 8",
        "combine, process, 0", "combine, node, 8"})
    void shouldUnderstandEachOtherWhenRanksAreInBothLanguages(String mode, String scope, int direct)
        throws Exception {
        run("4*1", rank -> rank % 2 == 0, cooperating(mode, scope, "cooperation.group-size=2",
            "cooperation.direct-connections=" + direct), NativeBuild.sanitizedProgram("interop"));
    }

    @ParameterizedTest
    @CsvSource({"none, process, aes-gcm", "combine, process, aes-gcm", "aggregate, node, aes-gcm",
        "none, process, ktls", "combine, process, ktls", "aggregate, node, ktls"})
    void shouldUnderstandEachOtherWhenTheJobIsEncrypted(String mode, String scope, String encryption)
        throws Exception {
        run("4*1", rank -> rank % 2 == 0, cooperating(mode, scope, "cooperation.group-size=2",
            encryptedBy(encryption), "connect.timeout=60s"), NativeBuild.sanitizedProgram("interop"));
    }

    /** Skipped where the kernel has no kTLS; {@code -Pktls} runs this on a machine whose kernel has it. */
    private static String encryptedBy(String encryption) {
        assumeTrue(!encryption.equals("ktls") || KernelTls.problem() == null, KernelTls::problem);
        return "network.encryption=" + encryption;
    }

    @ParameterizedTest
    @CsvSource({"none, process, aes-gcm", "forward, process, aes-gcm", "none, process, ktls"})
    void shouldBehaveWhenTheJobIsEncrypted(String mode, String scope, String encryption) throws Exception {
        run("4*1", rank -> true, cooperating(mode, scope, "cooperation.group-size=2", encryptedBy(encryption),
            "client.buffer=4k"), NativeBuild.sanitizedProgram("behaviour"));
    }

    @ParameterizedTest
    @CsvSource({"4*1, aggregate, process, 8", "4*1, combine, node, 0", "'cyclic:2,1,1,2', combine, process, 8",
        "'cyclic:2,1,1,2', combine, node, 0"})
    void shouldBehaveWhenNodesCooperate(String layout, String mode, String scope, int direct) throws Exception {
        run(layout, rank -> true, cooperating(mode, scope, "cooperation.groups=0,2;1,3",
            "cooperation.ring-bytes=4k", "cooperation.direct-connections=" + direct),
            NativeBuild.sanitizedProgram("behaviour"));
    }

    @ParameterizedTest
    @CsvSource({"forward, process, 8, 64", "aggregate, node, 1, 64", "combine, process, 2, 64",
        "combine, process, 8, 2", "aggregate, node, 8, 0"})
    void shouldKeepOrderWhenLargeAndSmallTransfersAlternate(String mode, String scope, int direct, int admitted)
        throws Exception {
        run("4*1", rank -> true, cooperating(mode, scope, "cooperation.group-size=2",
            "cooperation.direct-connections=" + direct, "cooperation.server-connections=" + admitted),
            NativeBuild.sanitizedProgram("cooperation"), "order");
    }

    @ParameterizedTest
    @CsvSource({"combine, process", "aggregate, node"})
    void shouldKeepOrderWhenServersAreContended(String mode, String scope) throws Exception {
        run("4*2", rank -> true, cooperating(mode, scope, "cooperation.group-size=2"),
            NativeBuild.program("cooperation"), "contend");
    }

    /** Besides those to the own server, of which there are two: two of the other group, and the direct ones. */
    @ParameterizedTest
    @CsvSource({"process, 0, 64, 4", "node, 0, 64, 2", "process, 2, 64, 6", "node, 1, 64, 3", "node, 8, 0, 2"})
    void shouldHaveFewConnectionsWhenNodesCooperate(String scope, int direct, int admitted, int most)
        throws Exception {
        for (String output : run("8*1", rank -> true, cooperating("forward", scope, "cooperation.group-size=4",
            "cooperation.direct-connections=" + direct, "cooperation.server-connections=" + admitted),
            NativeBuild.program("cooperation"), "connect")) {
            assertEquals(most, connections(output), output);
        }
    }

    /** Besides those to the own server, everybody but rank 0 has one directly to that of rank 0 for a while. */
    @Test
    void shouldGiveUpDirectConnectionWhenItsServerIsContended() throws Exception {
        assertEquals(List.of(2, 3, 3, 3, 3, 3, 3, 3), run("8*1", rank -> true, cooperating("forward", "node",
            "cooperation.group-size=4", "cooperation.direct-connections=1"), NativeBuild.program("cooperation"),
            "give-up-direct").stream().map(CooperationTest::connections).toList());
    }

    private static int connections(String output) {
        Matcher matcher = CONNECTIONS.matcher(output);
        assertTrue(matcher.find(), output);
        return Integer.parseInt(matcher.group(1));
    }

    @Test
    void shouldConnectToEveryNodeWhenNodesDoNotCooperate() throws Exception {
        for (String output : run("8*1", rank -> true, List.of(), NativeBuild.program("cooperation"), "connect")) {
            assertEquals(2 + 7, connections(output), output);
        }
    }
}

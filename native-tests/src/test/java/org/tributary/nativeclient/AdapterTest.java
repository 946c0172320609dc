package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.tributary.client.GlobalMemory;
import org.tributary.testsupport.TestedProviders;
import org.tributary.testsupport.Thorough;

/** Large transfers of ranks in C that a network adapter moves. */
final class AdapterTest {
    /** As in adapter.c. */
    private static final int OTHER_BYTES = 200_000;
    /** The exit code of a rank whose job has failed. */
    private static final int FAILED = 75;

    @BeforeEach
    void assumeBuilt() {
        NativeBuild.assumeBuilt();
        assumeTrue(Files.exists(NativeBuild.fabric()), "libfabric is not installed");
    }

    private static List<String> run(String layout, String provider, List<String> command) throws Exception {
        try (Jobs jobs = new Jobs()) {
            List<String> outputs = Servers.succeed(jobs, layout, List.of("network.fabric=" + provider, Servers.EXIT),
                rank -> true, command, gas -> { });
            for (String output : outputs) {
                assertEquals(1, output.lines().filter(line -> line.contains("all well")).count(), output);
            }
            return outputs;
        }
    }

    /** The loader of programs with sanitizers does not look where those themselves say. */
    private static List<String> sanitized(String program, String... arguments) {
        Path file = NativeBuild.sanitizedProgram(program);
        List<String> command = new ArrayList<>(List.of("env", "LD_LIBRARY_PATH=" + file.getParent().getParent(),
            file.toString()));
        command.addAll(List.of(arguments));
        return command;
    }

    static Stream<String> providers() {
        return Stream.concat(TestedProviders.names().limit(1), Thorough.only(TestedProviders.names().skip(1)));
    }

    /** Of provider shm a read fails as a put does. */
    static Stream<Arguments> programs() {
        return TestedProviders.names().flatMap(provider -> (provider.equals("shm") ? Stream.of("moves", "puts")
            : Stream.of("puts", "reads")).map(what -> Arguments.of(provider, what)));
    }

    @ParameterizedTest
    @MethodSource("providers")
    void shouldMoveWhatIsLargeUnderSanitizers(String provider) throws Exception {
        run("1,1", provider, sanitized("adapter", "moves"));
    }

    @ParameterizedTest
    @MethodSource("org.tributary.testsupport.TestedProviders#names")
    void shouldRegisterMemoryThatOnlyTheRuntimeFrees(String provider) throws Exception {
        run("1,1", provider, sanitized("registering", "keeps"));
    }

    @ParameterizedTest
    @MethodSource("org.tributary.testsupport.TestedProviders#names")
    void shouldCopyAndSaySoOnceWhenMemoryCannotBeRegistered(String provider) throws Exception {
        String warning = "tributary: rank \\d cannot register 4194304 bytes of its memory for the network adapter, so"
            + " data of 1048576 bytes and more are copied: .+\\. If memory must not be locked, raise the limit"
            + " \\(ulimit -l\\)";
        List<String> command = List.of(NativeBuild.program("registering").toString(), "refused");
        for (String output : run("1,1", provider, command)) {
            assertEquals(1, output.lines().filter(line -> line.matches(warning)).count(), output);
        }
    }

    @ParameterizedTest
    @MethodSource("programs")
    void shouldMoveOrSayWhatFailed(String provider, String what) throws Exception {
        run("1,1", provider, List.of(NativeBuild.program("adapter").toString(), what));
    }

    @ParameterizedTest
    @MethodSource("providers")
    void shouldBehaveAsWithoutAdapter(String provider) throws Exception {
        run("2,1,2", provider, List.of(NativeBuild.program("behaviour").toString()));
    }

    /** Its loader does not find the shim. */
    @Test
    void shouldSayWhyAndUseMessagesWhenTheShimIsMissing() throws Exception {
        for (String output : run("1,1", TestedProviders.first(),
            List.of(NativeBuild.sanitizedProgram("behaviour").toString()))) {
            assertEquals(1, output.lines().filter(line -> line.matches("tributary: rank \\d cannot use the provider"
                + " [a-z]+;ofi_rxm of network\\.fabric, so messages carry all data: libtributary-fabric\\.so: .*"))
                .count(), output);
        }
    }

    /** Neither has closed its endpoint, and no launcher looks after them. */
    @Test
    void shouldLeaveNoFilesOfTheProviderWhenTheJobFails() throws Exception {
        assumeTrue(TestedProviders.names().anyMatch("shm"::equals), "provider shm is not tested");
        try (Jobs jobs = new Jobs()) {
            try (Servers servers = new Servers(jobs, "1,1", List.of("network.fabric=shm", Servers.EXIT))) {
                List<Jobs.Running> ranks = new ArrayList<>();
                for (int rank = 0; rank < 2; rank++) {
                    ranks.add(jobs.start(List.of(NativeBuild.program("adapter").toString(), "ends"),
                        servers.variablesOf(rank)));
                }
                for (Jobs.Running rank : ranks) {
                    assertEquals(FAILED, rank.exitCode(), rank::output);
                    assertTrue(rank.output().contains("has files"), rank::output);
                    assertEquals(List.of(), filesOfTheProvider(rank.process().pid()));
                }
                servers.awaitBadEnd();
            }
            jobs.assertNothingLeft();
        }
    }

    private static List<Path> filesOfTheProvider(long pid) throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
            return files.filter(file -> file.getFileName().toString().startsWith(pid + ":")).toList();
        }
    }

    /** A rank in Java puts to one in C, and gets what that has put. */
    @Test
    void shouldShareMemoryWithRanksInJava() throws Exception {
        try (Jobs jobs = new Jobs()) {
            List<String> outputs = Servers.succeed(jobs, "1,1", List.of("network.fabric=" + TestedProviders.first()),
                rank -> rank == 0, List.of(NativeBuild.program("adapter").toString(), "other"), gas -> {
                    GlobalMemory memory = gas.allocate(OTHER_BYTES);
                    byte[] data = new byte[OTHER_BYTES];
                    for (int i = 0; i < data.length; i++) {
                        data[i] = (byte) (3 * i);
                    }
                    memory.put(0, 0, MemorySegment.ofArray(data));
                    gas.fence(0);
                    gas.barrier();
                    gas.barrier();
                    byte[] seen = memory.local().toArray(ValueLayout.JAVA_BYTE);
                    for (int i = 0; i < seen.length; i++) {
                        assertEquals((byte) (5 * i), seen[i]);
                    }
                    gas.barrier();
                    memory.close();
                });
            assertTrue(outputs.getFirst().contains("all well"), outputs::toString);
        }
    }
}

package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.fabric.Fabric;

/** Jobs in which ranks in C and in Java put, add, lock, signal and compute together. */
final class InteropTest {
    @BeforeEach
    void assumeBuilt() {
        NativeBuild.assumeBuilt();
    }

    /** Ranks in C are those with the given remainder when divided by 2. */
    @ParameterizedTest
    @CsvSource({"4, 0", "'1,1', 0", "'1,1', 1", "'3,1,2', 0", "'cyclic:3,1,2', 0"})
    void shouldUnderstandEachOtherWhenRanksAreInBothLanguages(String layout, int remainder) throws Exception {
        try (Jobs jobs = new Jobs()) {
            for (String output : Servers.succeed(jobs, layout, List.of(), rank -> rank % 2 == remainder,
                List.of(NativeBuild.sanitizedProgram("interop").toString()), InteropRank::run)) {
                assertEquals(1, output.lines().filter(line -> line.contains("interop: all well")).count(), output);
            }
        }
    }

    /** Not even Java ranks share a process, and the launcher starts both. */
    @Test
    void shouldUnderstandEachOtherWhenEveryRankIsAProcess() throws Exception {
        run("2,2", 1, List.of());
    }

    /** Those in C go on with messages to the same memory. */
    @Test
    void shouldUnderstandEachOtherWhenAnAdapterMovesDataOfRanksInJava() throws Exception {
        assumeTrue(Fabric.load().isPresent(), Fabric.load()::absence);
        run("1,1,2", 1, List.of("--set", "network.fabric=tcp"));
    }

    private static void run(String layout, int remainder, List<String> options) throws Exception {
        String choose = "if [ $((TRIBUTARY_RANK % 2)) = " + remainder + " ]; then exec "
            + NativeBuild.sanitizedProgram("interop") + "; else exec " + Jobs.javaRank(InteropRank.class) + "; fi";
        int ranks = layout.chars().filter(Character::isDigit).map(c -> c - '0').sum();
        try (Jobs jobs = new Jobs()) {
            String output = jobs.run(layout, options, "/bin/sh", "-c", choose).succeed();
            assertEquals(ranks, output.lines().filter(line -> line.contains("interop: all well")).count(), output);
            jobs.assertNothingLeft();
        }
    }
}

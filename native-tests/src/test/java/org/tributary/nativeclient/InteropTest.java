package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jobs in which ranks in C and in Java put, add, lock, signal and compute together. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class InteropTest {
    @BeforeEach
    void assumeBuilt() {
        NativeBuild.assumeBuilt();
    }

    /** Ranks in C are those with the given remainder when divided by 2. */
    @ParameterizedTest
    @CsvSource({"4, 0", "'1,1', 0", "'1,1', 1", "'2,2', 1", "'3,1,2', 0", "'cyclic:3,1,2', 0"})
    void shouldUnderstandEachOtherWhenRanksAreInBothLanguages(String layout, int remainder) throws Exception {
        String choose = "if [ $((TRIBUTARY_RANK % 2)) = " + remainder + " ]; then exec "
            + NativeBuild.sanitizedProgram("interop") + "; else exec " + Jobs.javaRank(InteropRank.class) + "; fi";
        int ranks = layout.chars().filter(Character::isDigit).map(c -> c - '0').sum();
        try (Jobs jobs = new Jobs()) {
            String output = jobs.run(layout, java.util.List.of(), "/bin/sh", "-c", choose).succeed();
            assertEquals(ranks, output.lines().filter(line -> line.contains("interop: all well")).count(), output);
            jobs.assertNothingLeft();
        }
    }
}

package org.tributary.launcher.job;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StandardInputTest {
    @ParameterizedTest
    @CsvSource({
        "0100000, true",  // a file to read
        "0100002, true",  // a terminal, to read and write
        "04000, true",    // a pipe that does not block
        "0100001, false", // to write only
        "02100000, false" // opened by this process: closed on exec
    })
    void shouldTellWhetherItWasOpenFromItsFlags(String flags, boolean open) {
        assertEquals(open, StandardInput.isOpen("pos:\t0\nflags:\t" + flags + "\nmnt_id:\t15\n",
            Path.of("/dev/pts/1")));
    }

    @Test
    void shouldBeClosedWhenThereIsNoDescriptor() {
        assertEquals(false, StandardInput.isOpen("", Path.of("")));
    }

    @Test
    void shouldBeClosedWhenTheJvmHasOpenedAFileOfItsOwnThere() {
        assertEquals(false, StandardInput.isOpen("flags:\t0100000\n",
            Path.of(System.getProperty("java.home"), "lib", "modules")));
    }

    @Test
    void shouldGiveNothingToOtherRanks() {
        assertEquals(Redirect.from(new java.io.File("/dev/null")), StandardInput.none().redirect());
    }
}

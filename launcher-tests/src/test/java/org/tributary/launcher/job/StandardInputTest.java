package org.tributary.launcher.job;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
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

    /** Rank 0 of one job, which stops reading, or not. */
    private static final class Rank implements InputTaker {
        private final StringBuffer read = new StringBuffer();
        private volatile boolean reads = true;
        private volatile boolean closed;

        @Override
        public boolean give(byte[] bytes, int length) {
            if (reads) {
                read.append(new String(bytes, 0, length, StandardCharsets.UTF_8));
            }
            return reads;
        }

        @Override
        public void closeInput() {
            closed = true;
        }

        void await(String text) {
            JobHarness.await(() -> read.toString().equals(text));
        }
    }

    @Test
    void shouldGiveTheRankOfTheNextJobWhatTheFormerHasNotTaken() throws Exception {
        PipedOutputStream typed = new PipedOutputStream();
        StandardInput input = StandardInput.ofTerminal(new PipedInputStream(typed));
        Rank first = new Rank();
        input.copyTo(first, "rank 0");
        type(typed, "one");
        first.await("one");
        first.reads = false;
        type(typed, "two"); // the read for the first one gets it
        JobHarness.await(() -> first.closed);
        Rank second = new Rank();
        input.copyTo(second, "rank 0");
        second.await("two");
        Rank third = new Rank();
        input.copyTo(third, "rank 0"); // the read for the second one waits
        type(typed, "three");
        third.await("three");
        input.keep();
        type(typed, "four");
        typed.close();
        Rank last = new Rank();
        input.copyTo(last, "rank 0");
        last.await("four");
        JobHarness.await(() -> last.closed);
        assertEquals("two", second.read.toString());
        assertEquals("three", third.read.toString());
        Rank late = new Rank();
        input.copyTo(late, "rank 0");
        JobHarness.await(() -> late.closed);
    }

    private static void type(OutputStream keys, String text) throws IOException {
        keys.write(text.getBytes(StandardCharsets.UTF_8));
        keys.flush();
    }
}

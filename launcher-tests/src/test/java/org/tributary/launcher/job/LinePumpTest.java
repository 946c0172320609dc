package org.tributary.launcher.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.NotEmpty;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class LinePumpTest {
    @Test
    void shouldCutLineWhenLongerThanBound() {
        String output = pump("x".repeat(2 * LinePump.MAX_LINE + 5), LinePump.MAX_LINE);
        assertEquals(List.of(LinePump.MAX_LINE, LinePump.MAX_LINE, 5),
            output.lines().map(line -> line.length() - "[1] ".length()).toList());
    }

    /** A thousand ranks have two thousand pumps. */
    @Test
    void shouldHaveRoomForALongLineOnlyWhileItHoldsOne() {
        int[] most = {0};
        LinePump[] pump = {null};
        pump[0] = new LinePump("", new LineSink(OutputStream.nullOutputStream()), (line, offset, length) -> {
            most[0] = Math.max(most[0], pump[0].room());
            return false;
        });
        assertEquals(LinePump.FIRST_ROOM, pump[0].room());
        pump[0].copy(lines("short\n".repeat(10_000)));
        assertEquals(LinePump.FIRST_ROOM, most[0]);
        pump[0].copy(lines("x".repeat(LinePump.MAX_LINE) + "\n"));
        assertEquals(LinePump.MAX_LINE, most[0]);
        assertEquals(LinePump.FIRST_ROOM, pump[0].room());
    }

    private static InputStream lines(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void shouldTakeLineOutWhenIntercepted() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        LinePump pump = new LinePump("", new LineSink(out), (line, offset, length) -> line[offset] == 's');
        pump.copy(new ByteArrayInputStream("one\nsecret\ntwo".getBytes(StandardCharsets.UTF_8)));
        assertEquals("one\ntwo\n", out.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldReadOnWhenNobodyTakesOutput() {
        LinePump pump = new LinePump("", new LineSink(new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        }));
        ByteArrayInputStream in = new ByteArrayInputStream("a\nb\nc\n".getBytes(StandardCharsets.UTF_8));
        pump.copy(in);
        assertEquals(0, in.available());
    }

    @Test
    void shouldShowALineUntilTheNextOneWhenItBeginsWithACarriageReturn() {
        String lines = "a\n\rhalf\n\rmost\nb\n\r\n\rall\n";
        ByteArrayOutputStream terminal = new ByteArrayOutputStream();
        LineSink sink = new LineSink(terminal, true);
        new LinePump("[1] ", sink).copy(lines(lines));
        String cut = "\033[?7l"; // at the end of the row, which is all that is erased
        String wrap = "\033[?7h";
        String erase = "\r\033[K";
        assertEquals("[1] a\n" + cut + "[1] half" + wrap + erase + cut + "[1] most" + wrap + erase + "[1] b\n[1] \r\n"
            + cut + "[1] all" + wrap, terminal.toString(StandardCharsets.UTF_8));
        sink.hide();
        sink.hide();
        assertTrue(terminal.toString(StandardCharsets.UTF_8).endsWith("[1] all" + wrap + erase));
        assertEquals("[1] a\n\r[1] half\n\r[1] most\n[1] b\n[1] \r\n\r[1] all\n", pump(lines, 7),
            "to a file or another host as it is");
    }

    @Property(tries = 200)
    void shouldPrefixEachLineWhateverTheChunks(@ForAll @Size(max = 30) List<@IntRange(max = 300) Integer> lengths,
                                               @ForAll @IntRange(min = 1, max = 100) int chunk) {
        String text = lengths.stream().map(length -> "y".repeat(length) + "\n").collect(Collectors.joining());
        String expected = lengths.stream().map(length -> "[1] " + "y".repeat(length) + "\n")
            .collect(Collectors.joining());
        assertEquals(expected, pump(text, chunk));
    }

    @Property(tries = 50)
    void shouldNeverMixLinesWhenManyWrite(
        @ForAll @NotEmpty @Size(max = 6) List<@IntRange(min = 1, max = 40) Integer> counts)
        throws InterruptedException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        LineSink sink = new LineSink(out);
        List<Thread> writers = counts.stream().map(count -> {
            byte[] lines = "abc def\n".repeat(count).getBytes(StandardCharsets.UTF_8);
            return Thread.ofPlatform().start(() -> new LinePump("p", sink).copy(new ByteArrayInputStream(lines)));
        }).toList();
        for (Thread writer : writers) {
            writer.join();
        }
        String output = out.toString(StandardCharsets.UTF_8);
        assertTrue(output.lines().allMatch("pabc def"::equals), output);
        assertEquals(counts.stream().mapToInt(Integer::intValue).sum(), output.lines().count());
    }

    private static String pump(String text, int chunk) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        InputStream in = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)) {
            @Override
            public synchronized int read(byte[] buffer, int offset, int length) {
                return super.read(buffer, offset, Math.min(length, chunk));
            }
        };
        new LinePump("[1] ", new LineSink(out)).copy(in);
        return out.toString(StandardCharsets.UTF_8);
    }
}

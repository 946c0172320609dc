package org.tributary.launcher.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LineSinkTest {
    private static final long DEADLINE_S = 60;
    private static final int LOOKS = 5;
    private static final int LOST = 9;
    private static final long IDLE_MS = 1500;

    @Test
    void shouldGoOnAndLoseNothingWhenTheReaderHasStopped() throws InterruptedException {
        Pager pager = new Pager();
        LineSink sink = new LineSink(pager, true);
        Thread launcher = Thread.ofPlatform().daemon().start(() -> {
            sink.say("one");
            sink.show("passing");
            sink.say("two");
            sink.hide();
        });
        launcher.join(TimeUnit.SECONDS.toMillis(DEADLINE_S / 2));
        assertFalse(launcher.isAlive(), "the launcher waits for the reader of what it says");
        pager.read();
        JobHarness.await(() -> pager.text().contains("two"));
        assertEquals("tributary: one\n\033[?7lpassing\033[?7h\r\033[Ktributary: two\n", pager.text());
    }

    @Test
    void shouldWaitForTheReaderBeforeTheEndWhenNobodyGivesUp() throws InterruptedException {
        Pager pager = new Pager();
        LineSink sink = new LineSink(pager);
        sink.say("one");
        sink.say("two");
        AtomicInteger looks = new AtomicInteger();
        sink.awaitSaid(() -> looks.incrementAndGet() == LOOKS);
        assertEquals("", pager.text());
        Thread reader = Thread.ofPlatform().start(() -> {
            JobHarness.await(() -> looks.get() == 2 * LOOKS);
            pager.read();
        });
        sink.awaitSaid(() -> looks.incrementAndGet() < 0);
        assertEquals("tributary: one\ntributary: two\n", pager.text());
        reader.join();
    }

    /** Unless that has taken a second, as it may on a busy machine. */
    @Test
    void shouldHaveWrittenWhatItSaysWhenTheReaderReads() throws InterruptedException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        LineSink sink = new LineSink(out);
        for (int i = 0; i < 100; i++) {
            long startNs = System.nanoTime();
            sink.say("line " + i);
            if (System.nanoTime() - startNs >= TimeUnit.SECONDS.toNanos(1)) {
                sink.awaitSaid(() -> false);
            }
            assertTrue(out.toString(StandardCharsets.UTF_8).endsWith("tributary: line " + i + "\n"));
        }
    }

    @Test
    void shouldSayAllTheSameWhenThereIsNoThreadForIt() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        LineSink sink = new LineSink(out, work -> {
            throw new OutOfMemoryError("unable to create native thread");
        });
        sink.say("one");
        sink.say("two");
        assertEquals("tributary: one\ntributary: two\n", out.toString(StandardCharsets.UTF_8));
    }

    /** For longer than a thread that is not kept lives. */
    @Test
    void shouldGoOnWithItsThreadWhenThereIsNoOtherAndItsReaderHasStopped() throws InterruptedException {
        Pager pager = new Pager();
        AtomicInteger threads = new AtomicInteger(1);
        LineSink sink = new LineSink(pager, work -> {
            if (threads.getAndDecrement() <= 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return Thread.ofPlatform().daemon().unstarted(work);
        }).keep();
        TimeUnit.MILLISECONDS.sleep(IDLE_MS);
        Thread launcher = Thread.ofPlatform().daemon().start(() -> sink.say("one"));
        launcher.join(TimeUnit.SECONDS.toMillis(DEADLINE_S / 2));
        assertFalse(launcher.isAlive(), "the launcher waits for the reader of what it says");
        pager.read();
        JobHarness.await(() -> pager.text().equals("tributary: one\n"));
    }

    @Test
    void shouldGoOnWithAWholeLineWhenThereIsRoomAgain() {
        AtomicInteger writes = new AtomicInteger();
        ByteArrayOutputStream disk = new ByteArrayOutputStream();
        LineSink out = new LineSink(new OutputStream() {
            @Override
            public void write(int value) {
                throw new UnsupportedOperationException("a byte alone");
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                if (writes.incrementAndGet() == 2) {
                    disk.write(bytes, offset, 2);
                    throw new IOException("Auf dem Gerät ist kein Speicherplatz mehr verfügbar");
                }
                disk.write(bytes, offset, length);
            }
        }, () -> false);
        List.of("one", "two", "three").forEach(out::write);
        assertEquals("one\ntw\nthree\n", disk.toString(StandardCharsets.UTF_8));
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        assertTrue(LineSink.tellLostOf(out, new LineSink(said)));
        assertEquals("tributary: output is missing: it could not be written: Auf dem Gerät ist kein"
            + " Speicherplatz mehr verfügbar\n", said.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldDropLinesWhenTheReaderHasGone() {
        AtomicInteger writes = new AtomicInteger();
        LineSink out = new LineSink(new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                writes.incrementAndGet();
                throw new IOException("No space left on device");
            }
        }, () -> true);
        List.of("one", "two").forEach(out::write);
        assertEquals(1, writes.get());
        assertFalse(LineSink.tellLostOf(out, out));
    }

    @Test
    void shouldTellOfALossWhenTheDiskIsFull() throws Exception {
        assertEquals(LOST, codeOf(child().redirectOutput(new File("/dev/full")).start()));
    }

    @Test
    void shouldTellOfNoLossWhenThePipeHasNoReader() throws Exception {
        Process writer = child().start();
        writer.getInputStream().close();
        assertEquals(0, codeOf(writer));
    }

    /** The end of the program that has made it hangs it up. */
    @Test
    void shouldTellOfNoLossWhenTheTerminalHasHungUp(@TempDir Path folder) throws Exception {
        Path command = Files.writeString(folder.resolve("command"), "trap '' HUP\n: > " + folder.resolve("up") + "\n'"
            + String.join("' '", child().command()) + "'\necho $? > " + folder.resolve("code.new") + "\nmv "
            + folder.resolve("code.new") + " " + folder.resolve("code") + "\n");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "no script (bsdutils) here");
        Process terminal = new ProcessBuilder("/usr/bin/script", "-qc", "/bin/sh " + command, "/dev/null").start();
        try {
            JobHarness.await(() -> Files.exists(folder.resolve("up")));
        } finally {
            terminal.destroyForcibly();
        }
        JobHarness.await(() -> Files.exists(folder.resolve("code")));
        assertEquals("0\n", Files.readString(folder.resolve("code")));
    }

    private static ProcessBuilder child() {
        return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"), Child.class.getName());
    }

    private static int codeOf(Process writer) throws Exception {
        try {
            writer.getOutputStream().close();
            assertTrue(writer.waitFor(DEADLINE_S, TimeUnit.SECONDS), "it does not end");
            return writer.exitValue();
        } finally {
            writer.destroyForcibly();
        }
    }

    /** Writes a line to standard output at the end of its input; its exit code says whether that was lost. */
    static final class Child {
        private Child() {
        }

        public static void main(String[] arguments) {
            LineSink err = new LineSink(new ByteArrayOutputStream());
            LineSink out = LineSink.ofStandardOutput(new FileOutputStream(FileDescriptor.out), err);
            try {
                System.in.transferTo(OutputStream.nullOutputStream());
            } catch (IOException e) {
                err.say("its terminal has hung up: " + e.getMessage());
            }
            out.write("one");
            System.exit(LineSink.tellLostOf(out, err) ? LOST : 0);
        }
    }
}

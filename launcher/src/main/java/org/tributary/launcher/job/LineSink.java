package org.tributary.launcher.job;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Where lines of many processes meet. Each write is whole lines and happens under the sink's lock, so lines never
 * interleave. A line that begins with a carriage return is shown on a terminal until the next one comes. Once the
 * reader of the output has gone, lines are dropped, so that no rank blocks on a full pipe. Where they cannot be
 * written, as in a file on a full disk, they are lost, which {@link #tellLostOf} tells.
 *
 * <p>A reader that has stopped, as a pager does, holds up the output of ranks, and nothing else: what a launcher says
 * itself waits for it in a queue, and the launcher goes on after a second. Before its process ends, it waits for that.
 * The thread that takes from the queue ends when it has had nothing to do for a second, unless it is {@linkplain #keep
 * kept}. Where a new one cannot be had, a message is written by who says it.
 */
public final class LineSink {
    private static final int MOST_WAITING = 1000;
    private static final long PATIENCE_S = 1;
    private static final long LOOK_MS = 20;
    /** The first byte of a line that is to be shown only until the next one. */
    static final byte PASSING = '\r';
    /** To the first column, and nothing behind it. */
    private static final byte[] ERASE = "\r\033[K".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] LINE_END = {'\n'};
    /** What is longer than the terminal is wide is cut, for only one row is erased. */
    private static final byte[] CUT = "\033[?7l".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] WRAP = "\033[?7h".getBytes(StandardCharsets.US_ASCII);
    private static final int STANDARD_OUTPUT = 1;
    private static final int STANDARD_ERROR = 2;

    private final OutputStream out;
    private final Screen screen;
    /** To be asked when something could not be written. */
    private final BooleanSupplier hasReaderGone;
    /** What has been said and not written. */
    private final AtomicInteger unwritten = new AtomicInteger();
    private final ThreadPoolExecutor messages;
    private volatile boolean isStuck;
    private boolean closed;
    /** Whether part of a line may have been written, of which the rest was lost. */
    private boolean isTorn;
    private volatile String whyLost;

    /** A terminal, or none, and whether a passing line is on it. Its lock is that of all sinks that write to it. */
    private static final class Screen {
        private final boolean watched;
        private OutputStream showing;

        private Screen(boolean watched) {
            this.watched = watched;
        }
    }

    public LineSink(OutputStream out) {
        this(out, false);
    }

    /** The same, where {@code terminal} says whether somebody watches it who may be shown a passing line. */
    public LineSink(OutputStream out, boolean terminal) {
        this(out, new Screen(terminal));
    }

    private LineSink(OutputStream out, Screen screen) {
        this(out, screen, Thread.ofPlatform().daemon().name("messages").factory(), readerOf(out));
    }

    /** To nobody who watches, with other threads. */
    LineSink(OutputStream out, ThreadFactory threads) {
        this(out, new Screen(false), threads, readerOf(out));
    }

    /** To nobody who watches, with another way to learn that the reader has gone. */
    LineSink(OutputStream out, BooleanSupplier hasReaderGone) {
        this(out, new Screen(false), Thread.ofPlatform().daemon().factory(), hasReaderGone);
    }

    private LineSink(OutputStream out, Screen screen, ThreadFactory threads, BooleanSupplier hasReaderGone) {
        this.out = out;
        this.screen = screen;
        this.hasReaderGone = hasReaderGone;
        this.messages = new ThreadPoolExecutor(1, 1, PATIENCE_S, TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MOST_WAITING), threads, (discarded, executor) -> unwritten.decrementAndGet());
        messages.allowCoreThreadTimeOut(true);
    }

    /**
     * Has the thread that writes messages from now on: the end of a job does not depend on whether one can be had then.
     * Fails where there is none.
     */
    public LineSink keep() {
        messages.allowCoreThreadTimeOut(false);
        boolean unused = messages.prestartCoreThread();
        return this;
    }

    /** The end of what is no stream of this process, as a connection, is known by its failure alone. */
    private static BooleanSupplier readerOf(OutputStream out) {
        try {
            FileDescriptor file = out instanceof FileOutputStream stream ? stream.getFD() : null;
            if (file == FileDescriptor.out) {
                return () -> Terminal.hasGone(STANDARD_OUTPUT);
            }
            if (file == FileDescriptor.err) {
                return () -> Terminal.hasGone(STANDARD_ERROR);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return () -> true;
    }

    /** To standard error of this process, which may be a terminal. */
    public static LineSink ofStandardError() {
        return new LineSink(new FileOutputStream(FileDescriptor.err), Terminal.is(STANDARD_ERROR));
    }

    /** To standard output of this process, which may be the same terminal as that of {@code err}. */
    public static LineSink ofStandardOutput(OutputStream out, LineSink err) {
        return err.isTerminal() && Terminal.is(STANDARD_OUTPUT) ? new LineSink(out, err.screen) : new LineSink(out);
    }

    /** Whether somebody watches it. */
    public boolean isTerminal() {
        return screen.watched;
    }

    /** Shows a line until the next one is written or shown; only on a terminal. */
    public void show(String passing) {
        byte[] line = passing.getBytes(StandardCharsets.UTF_8);
        if (screen.watched) {
            inTurn(() -> {
                synchronized (screen) {
                    show(line, 0, line.length);
                }
            });
        }
    }

    private void show(byte[] line, int offset, int length) {
        byte[] row = ByteBuffer.allocate(CUT.length + length + WRAP.length).put(CUT).put(line, offset, length).put(WRAP)
            .array();
        put(row, 0, row.length);
        screen.showing = out;
    }

    /** Shows no such line any more. */
    public void hide() {
        if (screen.watched) {
            inTurn(() -> {
                synchronized (screen) {
                    try {
                        erase();
                    } catch (IOException e) {
                        failed(e);
                    }
                }
            });
        }
    }

    /** Returns when it is done, or else after a second, or at once while an earlier one is not done. */
    private void inTurn(Runnable work) {
        Runnable all = () -> {
            work.run();
            isStuck = false;
        };
        try {
            Future<?> done = submit(all);
            if (!isStuck) {
                done.get(PATIENCE_S, TimeUnit.SECONDS);
            }
        } catch (OutOfMemoryError e) {
            all.run(); // there is no thread for it
        } catch (TimeoutException e) {
            isStuck = true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    private Future<?> submit(Runnable work) {
        unwritten.incrementAndGet();
        boolean isTaken = false;
        try {
            Future<?> done = messages.submit(() -> {
                try {
                    work.run();
                } finally {
                    unwritten.decrementAndGet();
                }
            });
            isTaken = true;
            return done;
        } finally {
            if (!isTaken) {
                unwritten.decrementAndGet(); // there is no thread
            }
        }
    }

    /** Whole lines. */
    public void write(byte[] lines, int offset, int length) {
        int end = offset + length;
        synchronized (screen) {
            int from = offset; // of lines that have not been written
            for (int at = offset; screen.watched && at < end;) {
                int next = behindLine(lines, at, end);
                if (lines[at] == PASSING && next - at > 2) {
                    put(lines, from, at - from);
                    show(lines, at + 1, next - at - 2);
                    from = next;
                }
                at = next;
            }
            put(lines, from, end - from);
        }
    }

    private static int behindLine(byte[] lines, int from, int end) {
        int at = from;
        while (at < end && lines[at] != '\n') {
            at++;
        }
        return at + 1;
    }

    private void put(byte[] lines, int offset, int length) {
        if (closed || length <= 0) {
            return;
        }
        try {
            erase();
            if (isTorn) {
                out.write(LINE_END, 0, LINE_END.length);
                isTorn = false;
            }
            out.write(lines, offset, length);
            out.flush();
        } catch (IOException e) {
            failed(e);
        }
    }

    /** The disk may have room again later; a reader that has gone does not come back. */
    private void failed(IOException why) {
        if (hasReaderGone.getAsBoolean()) { // the message is in the language of the user
            closed = true;
        } else {
            whyLost = why.getMessage();
            isTorn = true;
        }
    }

    /** Returns whether lines were lost that somebody wants to read, after saying so in {@code err}. */
    private boolean tellLost(LineSink err) {
        String why = whyLost;
        if (why != null) {
            err.say("output is missing: it could not be written: " + why);
        }
        return why != null;
    }

    /** The same of two outputs of one job. */
    public static boolean tellLostOf(LineSink out, LineSink err) {
        return out.tellLost(err) | err.tellLost(err);
    }

    private void erase() throws IOException {
        OutputStream shown = screen.showing;
        screen.showing = null;
        if (shown != null) {
            shown.write(ERASE);
            shown.flush();
        }
    }

    /** One line, without its end. */
    public void write(String line) {
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        write(bytes, 0, bytes.length);
    }

    /** Waits until all that the launcher has said is written, or somebody {@code gives up}. */
    public void awaitSaid(BooleanSupplier givesUp) throws InterruptedException {
        while (unwritten.get() > 0 && !givesUp.getAsBoolean()) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        }
    }

    /** A line of the launcher's own. */
    public void say(String message) {
        inTurn(() -> write("tributary: " + message));
    }
}

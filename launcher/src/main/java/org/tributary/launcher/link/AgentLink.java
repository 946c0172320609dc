package org.tributary.launcher.link;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.tributary.config.Shortage;
import org.tributary.launcher.job.LineSink;

/**
 * The connection to one agent: the command that starts it on its host, whose standard input and output carry frames.
 * Nothing here makes a caller wait: frames to be sent are queued. Thread-safe.
 */
public final class AgentLink {
    /** An agent's first line, with its release; shells print what they like before it. */
    public static final String GREETING = "tributary agent ";

    private static final int MOST_NOISE = 64 << 10;
    private static final int LAST_LINES = 3;
    private static final long STACK_BYTES = 256 << 10;
    private static final long EXIT_S = 5;
    /** Of ssh, whose command has not run or was cut off: ssh(1). */
    private static final int SSH_FAILED = 255;
    /** For agents to end by themselves, and the commands that have started them. */
    private static final long END_NS = TimeUnit.SECONDS.toNanos(2);
    /** For commands that are asked to end. */
    private static final long TERM_NS = TimeUnit.SECONDS.toNanos(3);
    private static final long LAST_OUTPUT_MS = 500;
    /** Not for the reader of a message: a shell names its terminal's window so. */
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");
    private static final Frame CLOSE = new Frame((byte) 0, 0, new byte[0]);

    private final Fan.Range range;
    private final String host;
    private final String release;
    private final Frame begin;
    private final Listener listener;
    private final LineSink err;
    private final BlockingQueue<Frame> outgoing = new LinkedBlockingQueue<>();
    private final Deque<String> lastLines = new ArrayDeque<>();
    private volatile boolean greeted;
    private volatile boolean heard;
    private volatile boolean over;
    private volatile Process process;

    /**
     * A connection that is still to be made.
     *
     * @param release of this program, which the agent's has to equal
     * @param begin   what the agent is told first
     */
    public AgentLink(Fan.Range range, String host, String release, Frame begin, Listener listener, LineSink err) {
        this.range = range;
        this.host = host;
        this.release = release;
        this.begin = begin;
        this.listener = listener;
        this.err = err;
    }

    Fan.Range range() {
        return range;
    }

    /** Whether the agent has told of anything, as it does once it has started those behind it. */
    boolean isHeard() {
        return heard;
    }

    /** Whether an agent has been told to begin. */
    public boolean isGreeted() {
        return greeted;
    }

    /** Whether all that it sends has been passed on. */
    boolean isOver() {
        return over;
    }

    /**
     * Starts an agent; a problem is reported like a connection that has ended.
     *
     * @param address what the way to the host calls it
     * @param agent   the command on the host
     */
    public void start(LaunchCommand launch, String address, List<String> agent) {
        start(launch.program(address, agent), launch.on(address, agent));
    }

    /** Runs a command, which messages call {@code program}. */
    void start(String program, List<String> command) {
        try {
            process = new ProcessBuilder(command).start();
        } catch (IOException | OutOfMemoryError e) {
            listener.gone(range, host, "cannot run " + program + ": " + Shortage.describe(e));
            return;
        }
        try {
            Thread errors = thread("errors", this::readErrors);
            thread("reader", () -> read(program, errors));
            thread("writer", this::write);
        } catch (OutOfMemoryError e) {
            process.destroyForcibly();
            listener.gone(range, host, "no thread for its messages: " + Shortage.describe(e));
        }
    }

    private Thread thread(String role, Runnable work) {
        Thread thread = new Thread(null, work, "host " + host + " " + role, STACK_BYTES);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    public void send(Frame frame) {
        outgoing.add(frame);
    }

    /** Ends its standard input, behind what has been sent: an agent then ends all it has started. */
    public void close() {
        outgoing.add(CLOSE);
    }

    /**
     * Ends agents that have nothing left to do, and the commands on this machine that have started them. Some of those
     * end what they have started only when they are asked to: {@code srun} leaves a killed one's step to Slurm.
     */
    public static void end(List<AgentLink> links) {
        links.forEach(AgentLink::close);
        awaitEnd(links, END_NS);
        links.stream().filter(AgentLink::runs).forEach(link -> link.process.toHandle().destroy());
        awaitEnd(links, TERM_NS);
        links.forEach(AgentLink::destroy);
    }

    private static void awaitEnd(List<AgentLink> links, long limitNs) {
        long endNs = System.nanoTime() + limitNs;
        try {
            for (AgentLink link : links) {
                boolean unused = !link.runs()
                    || link.process.waitFor(endNs - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // what is left is killed
        }
    }

    /** Asks the command on this machine to end, before the agent has been told anything. */
    public void ask() {
        Process started = process;
        if (started != null) {
            started.toHandle().destroy();
        }
    }

    /** Gives commands that were asked to end at {@code sinceNs} time for it. */
    static void awaitAsked(List<AgentLink> links, long sinceNs) {
        awaitEnd(links, sinceNs + TERM_NS - System.nanoTime());
    }

    private boolean runs() {
        Process started = process;
        return started != null && started.isAlive();
    }

    /** Ends the command on this machine, and waits for nobody who is writing to it, as {@link Process} would. */
    public void destroy() {
        Process started = process;
        if (started != null) {
            started.toHandle().destroyForcibly();
        }
    }

    private void read(String program, Thread errors) {
        String problem = "";
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(process.getInputStream()))) {
            problem = greet(in);
            for (Frame frame = problem.isEmpty() ? Frame.read(in) : null; frame != null; frame = Frame.read(in)) {
                if (!Codec.isBeat(frame)) {
                    heard = true;
                    listener.frame(range, frame);
                }
            }
        } catch (IOException | RuntimeException | Error e) { // whatever it is, others wait for this end
            problem = Shortage.describe(e);
        } finally {
            over = true;
            close();
        }
        try {
            listener.gone(range, host, problem.isEmpty() ? howItEnded(program, errors) : problem);
        } finally {
            destroy();
        }
    }

    /** Returns what is wrong with the one at the other end, or nothing. */
    private String greet(InputStream in) throws IOException {
        for (int noise = 0; noise < MOST_NOISE;) {
            String line = line(in, MOST_NOISE - noise);
            if (line == null) {
                return "";
            }
            noise += line.length() + 1;
            if (line.startsWith(GREETING)) {
                String theirs = line.substring(GREETING.length());
                if (!theirs.equals(release)) {
                    return "has Tributary " + theirs + ", and the launcher is " + release + "; install one release";
                }
                greeted = true;
                send(begin);
                return "";
            }
            remember(line);
        }
        return "its shell prints without end; look at its start files";
    }

    private static String line(InputStream in, int limit) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n' && line.size() < limit; b = in.read()) {
            if (b < 0) {
                return line.size() == 0 ? null : line.toString(StandardCharsets.UTF_8);
            }
            line.write(b);
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    private String howItEnded(String program, Thread errors) {
        try {
            boolean ended = process.waitFor(EXIT_S, TimeUnit.SECONDS);
            errors.join(LAST_OUTPUT_MS);
            String how = ended ? program + " exited with code " + process.exitValue() : program + " closed its output";
            String said = said();
            String why = said.isEmpty() ? how : said + " (" + how + ")";
            boolean isOfSsh = ended && process.exitValue() == SSH_FAILED && program.equals("ssh");
            return isOfSsh && !greeted ? why + "; 'ssh " + host + " true' must work without a question" : why;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return program + " ended";
        }
    }

    private void readErrors() {
        try (BufferedReader lines = new BufferedReader(
            new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                remember(line);
                if (greeted) {
                    err.write("[host " + host + "] " + line);
                }
            }
        } catch (IOException e) {
            // The process has ended, which the reader notices.
        }
    }

    private void remember(String line) {
        synchronized (lastLines) {
            String text = CONTROL.matcher(line).replaceAll("").strip();
            if (!text.isEmpty()) {
                lastLines.add(text);
            }
            if (lastLines.size() > LAST_LINES) {
                lastLines.remove();
            }
        }
    }

    /** The last lines that came from there, but for messages of an agent. */
    String said() {
        synchronized (lastLines) {
            return String.join("; ", lastLines);
        }
    }

    private void write() {
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(process.getOutputStream()))) {
            for (Frame frame = outgoing.take(); frame != CLOSE; frame = outgoing.take()) {
                frame.write(out);
                if (outgoing.isEmpty()) {
                    out.flush();
                }
            }
        } catch (IOException e) {
            // Nobody reads any more, which the reader notices.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) { // nothing more can be said to it, which the reader reports
            remember(Shortage.describe(e));
            destroy();
        }
    }

    /** Takes what comes, on a thread of the connection's. */
    public interface Listener {
        /** {@code from} are the nodes behind the connection. */
        void frame(Fan.Range from, Frame frame);

        /** The last call; nothing can be sent any more. */
        void gone(Fan.Range range, String host, String why);
    }
}

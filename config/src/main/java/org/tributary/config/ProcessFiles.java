package org.tributary.config;

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Files of a process in {@code /proc} (proc(5)): empty for one that has ended, and few can be read for one of another
 * user. Thread-safe.
 */
public final class ProcessFiles {
    /** The second field, the command in parentheses, may hold spaces and parentheses of its own. */
    private static final int FIRST_FIELD_BEHIND_COMMAND = 3;
    /** Field of {@code stat}. */
    public static final int STATE = 3;
    /** Field of {@code stat}: processor time in the program. */
    public static final int USER_TICKS = 14;
    /** Field of {@code stat}: processor time in the kernel. */
    public static final int SYSTEM_TICKS = 15;
    /** Field of {@code stat}: when it began, by which it is told from another one of the same number. */
    public static final int BEGAN = 22;

    /** More than most of them have. */
    private static final int AT_ONCE = 4096;
    private static final int MEMORY_BYTES = 23;
    private static final int CODE = 26;
    private static final int ENVIRONMENT = 50;
    /** A process whose memory has no code yet. */
    private static final String STARTING = "starting";
    private static final long STARTING_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long LOOK_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final Path folder;

    private ProcessFiles(String name) {
        this.folder = Path.of("/proc", name);
    }

    /** Of this process, also where {@code /proc} numbers processes otherwise, as that of a host does in a container. */
    public static ProcessFiles own() {
        return new ProcessFiles("self");
    }

    public static ProcessFiles of(ProcessHandle process) {
        return of(process.pid());
    }

    public static ProcessFiles of(long pid) {
        return new ProcessFiles(Long.toString(pid));
    }

    /** A file such as {@code cmdline}, each byte a character; empty when it cannot be read. */
    public String text(String file) {
        try {
            return text(folder.resolve(file));
        } catch (IOException e) {
            return "";
        }
    }

    /** The words of its command line. */
    public List<String> commandLine() {
        return List.of(text("cmdline").split("\0"));
    }

    /** A field of {@code stat} from the third on, numbered from 1 as in proc(5); empty when the process has ended. */
    public String stat(int field) {
        return stat().of(field);
    }

    /** What {@code stat} has at one moment. */
    public Stat stat() {
        return Stat.of(text("stat"));
    }

    /** The fields of {@code stat} from the third on, as text; empty when the process has ended. */
    public record Stat(String fields) {
        /** Of no process. */
        public static final Stat NONE = new Stat("");

        private static Stat of(String text) {
            return text.isEmpty() ? NONE : new Stat(text.substring(text.lastIndexOf(')') + 2));
        }

        /** A field, numbered from 1 as in proc(5); empty when the process has ended, or there are not so many. */
        public String of(int field) {
            int from = 0;
            for (int i = FIRST_FIELD_BEHIND_COMMAND; i < field; i++) {
                from = fields.indexOf(' ', from) + 1;
                if (from == 0) {
                    return "";
                }
            }
            int to = fields.indexOf(' ', from);
            return fields.substring(from, to < 0 ? fields.length() : to);
        }
    }

    /** Time on processors in ns, from {@code schedstat} of a thread: times of {@code stat} come in steps of 10 ms. */
    public static long processorNs(Path schedstat) throws IOException {
        String line = text(schedstat);
        return Long.parseLong(line.substring(0, line.indexOf(' ')));
    }

    /** Such a file has no length. */
    private static String text(Path file) throws IOException {
        try (FileInputStream in = new FileInputStream(file.toFile())) {
            byte[] bytes = new byte[AT_ONCE];
            int length = 0;
            for (int read = in.read(bytes); read > 0; read = in.read(bytes, length, bytes.length - length)) {
                length += read;
                if (length == bytes.length) {
                    bytes = Arrays.copyOf(bytes, 2 * length);
                }
            }
            return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
        } catch (FileNotFoundException e) {
            throw new NoSuchFileException(file.toString());
        }
    }

    /** Not so of a zombie, which nobody may ever collect where the machine's first process does not. */
    public boolean runs() {
        String state = stat(STATE);
        return !state.isEmpty() && !state.equals("Z");
    }

    /** Whether the process was started with an environment variable of that value. */
    public boolean findsVariable(String variable, String value) {
        return ("\0" + environment()).contains("\0" + variable + "=" + value + "\0");
    }

    /** Whether the process was started with an environment variable of that name. */
    public boolean findsVariable(String variable) {
        return ("\0" + environment()).contains("\0" + variable + "=");
    }

    /**
     * In the middle of execve(2) a process seems to have none or a part of it, for which this looks again, for up to a
     * second.
     */
    private String environment() {
        String environment = text("environ");
        long untilNs = System.nanoTime() + STARTING_NS;
        String image = isWhole(environment) ? "" : image();
        while (!isWhole(environment) && System.nanoTime() - untilNs < 0) {
            environment = text("environ");
            String before = image;
            image = image();
            if (!image.equals(STARTING) && image.equals(before)) {
                break; // a thread of the kernel, another user's process, one that was given none or has changed it
            }
            LockSupport.parkNanos(LOOK_NS);
        }
        return environment;
    }

    private static boolean isWhole(String environment) {
        return environment.endsWith("\0");
    }

    /** The places of its code and of its environment, which differ between two programs that it runs. */
    private String image() {
        Stat stat = stat();
        boolean isStarting = stat.of(CODE).equals("0") && !stat.of(MEMORY_BYTES).equals("0");
        return isStarting ? STARTING : stat.of(CODE) + " " + stat.of(ENVIRONMENT);
    }
}

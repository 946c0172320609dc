package org.tributary.launcher.link;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.tributary.config.ConfigException;
import org.tributary.config.HostFacts;

/**
 * How a command is started on another host: the words of a command line in which {@code {host}} stands for the host; it
 * comes last when it stands nowhere. The command's own words follow.
 */
public final class LaunchCommand {
    /** No questions, which nobody could answer; and it notices within a minute that the host is gone. */
    private static final List<String> SSH = List.of("ssh", "-x", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15",
        "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3");
    /**
     * By which srun would give a step no more than the cores of its one task, so all ranks of a host would share these:
     * each of them means or implies {@code --exact}, or binds. No option of every srun undoes that.
     */
    private static final List<String> CONFINING = List.of("SLURM_EXACT", "SLURM_EXCLUSIVE", "SRUN_CPUS_PER_TASK",
        "SLURM_CPUS_PER_TASK", "SLURM_TRES_PER_TASK", "SLURM_CPUS_PER_GPU", "SLURM_THREADS_PER_CORE", "SLURM_HINT",
        "SLURM_CPU_BIND");
    /** As many of them as there are hosts run beside each other and beside what the allocation runs already. */
    private static final List<String> SRUN = Stream.of(Stream.of("env"),
        CONFINING.stream().flatMap(variable -> Stream.of("-u", variable)),
        Stream.of("srun", "--overlap", "--nodes=1", "--ntasks=1", "--mpi=none", "--cpu-bind=none", "--unbuffered",
            "--quiet", "--nodelist={host}")).flatMap(part -> part).toList();
    private static final String HOST = "{host}";
    private static final Pattern REMOTE_SHELL = Pattern.compile("ssh|rsh|ssh-.*|gsissh|blaunch");
    /** A command that starts another, a variable for it, or a number or time. */
    private static final Pattern BEFORE_A_COMMAND = Pattern.compile("(.*/)?(chrt|doas|env|ionice|nice|nohup|setsid"
        + "|stdbuf|sudo|taskset|time|timeout)|\\w+=.*|[0-9.]+[smhd]?", Pattern.DOTALL);
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

    private final List<String> words;

    private LaunchCommand(List<String> words) {
        this.words = List.copyOf(words);
    }

    /** OpenSSH's. */
    public static LaunchCommand ssh() {
        return new LaunchCommand(SSH);
    }

    /** A step within the allocation that the launcher runs in. */
    public static LaunchCommand srun() {
        return new LaunchCommand(SRUN);
    }

    /** As {@link #words} gives them. */
    public static LaunchCommand of(List<String> words) {
        return new LaunchCommand(words);
    }

    /** A command line of the user's; words may be put in quotes, single or double. */
    public static LaunchCommand parse(String line) {
        List<String> words = new ArrayList<>();
        StringBuilder word = null;
        char quote = 0;
        for (char c : line.toCharArray()) {
            if (quote != 0) {
                if (c == quote) {
                    quote = 0;
                } else {
                    word.append(c);
                }
            } else if (c == '\'' || c == '"') {
                quote = c;
                word = word == null ? new StringBuilder() : word;
            } else if (!Character.isWhitespace(c)) {
                word = (word == null ? new StringBuilder() : word).append(c);
            } else if (word != null) {
                words.add(word.toString());
                word = null;
            }
        }
        if (quote != 0) {
            throw new ConfigException("--launch-agent: a quote " + quote + " is not closed in '" + line + "'");
        }
        if (word != null) {
            words.add(word.toString());
        }
        if (words.isEmpty()) {
            throw new ConfigException("--launch-agent: it names no command");
        }
        return new LaunchCommand(words);
    }

    public List<String> words() {
        return words;
    }

    /**
     * The whole command. It gets a session of its own, so that a key pressed at the terminal reaches the launcher
     * alone, which then ends the job in order.
     */
    public List<String> on(String host, List<String> command) {
        List<String> whole = new ArrayList<>(List.of("setsid"));
        if (words.equals(SSH) && isThisMachine(host)) {
            whole.addAll(command);
            return whole;
        }
        boolean named = false;
        for (String word : words) {
            named |= word.contains(HOST);
            whole.add(word.replace(HOST, host));
        }
        if (!named) {
            whole.add(host);
        }
        boolean shell = isRemoteShell();
        command.forEach(word -> whole.add(shell ? quoted(word) : word));
        return whole;
    }

    /** Name of the command in messages, which is not always its first word. */
    String program(String host, List<String> command) {
        return words.equals(SRUN) ? "srun"
            : words.equals(SSH) && isThisMachine(host) ? withoutEnv(command).getFirst()
            : remoteShell().orElse(words.getFirst());
    }

    private static List<String> withoutEnv(List<String> command) {
        return command.stream().dropWhile(word -> word.equals("env") || word.contains("=")).toList();
    }

    /** Many hosts do not let their users log in from themselves. */
    private static boolean isThisMachine(String host) {
        String own = HostFacts.name();
        return Stream.of("localhost", "127.0.0.1", "::1", own, own.replaceFirst("\\..*", "")).anyMatch(host::equals);
    }

    /** These join the words with spaces and give them to a shell of the other host; others run them as they are. */
    private boolean isRemoteShell() {
        return remoteShell().isPresent();
    }

    /**
     * It may stand behind words that start it in another way, as in {@code env A=b ssh {host}}; a word of that name
     * that belongs to another command is none.
     */
    private Optional<String> remoteShell() {
        boolean mayBeValue = false; // of the option before
        for (String word : words) {
            boolean isOption = word.startsWith("-");
            boolean precedes = isOption || BEFORE_A_COMMAND.matcher(word).matches();
            if (!precedes && REMOTE_SHELL.matcher(word.substring(word.lastIndexOf('/') + 1)).matches()) {
                return Optional.of(word);
            }
            if (!precedes && !mayBeValue || word.contains(HOST)) {
                return Optional.empty();
            }
            mayBeValue = isOption;
        }
        return Optional.empty();
    }

    private static String quoted(String word) {
        return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}

package org.tributary.launcher.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * Programs that can be started by name. Any jar on the class path adds its own in a resource with a line
 * {@code name = main.Class  # help} for each, so that the launcher depends on none of them.
 */
final class Programs {
    static final String RUN = "META-INF/tributary/programs";
    static final String BENCH = "META-INF/tributary/benchmarks";
    /** Of benchmarks: commands that start no job, and run here. */
    static final String TOOLS = "META-INF/tributary/tools";

    private static final Pattern LINE = Pattern.compile("\\s*([\\w.-]+)\\s*=\\s*([\\w.$]+)\\s*(?:#\\s*(.*))?");

    private final Map<String, Program> byName = new TreeMap<>();

    private Programs() {
    }

    static Programs load(String resource) {
        Programs programs = new Programs();
        try {
            for (URL url : Collections.list(Programs.class.getClassLoader().getResources(resource))) {
                programs.read(url);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return programs;
    }

    /** By name, in alphabetical order. */
    Map<String, Program> byName() {
        return Collections.unmodifiableMap(byName);
    }

    /** Lines for a help text. */
    String list() {
        StringBuilder text = new StringBuilder();
        byName.forEach((name, program) -> text.append(String.format("  %-18s %s%n", name, program.help)));
        return text.toString();
    }

    /**
     * The answer to a command that names no program: by itself it asks for their lists; with options it was to start
     * one, and a script whose variable is empty must notice.
     */
    static int answerWithoutName(CommandLine command, String wanted, Programs... lists) {
        ParseResult given = command.getParseResult();
        if (!given.matchedOptions().isEmpty() || given.originalArgs().contains("--")) {
            throw new ParameterException(command, "no " + wanted + " given; '"
                + command.getCommandSpec().qualifiedName() + "' alone lists those that come with Tributary");
        }
        for (Programs list : lists) {
            command.getOut().print(list.list());
        }
        command.getOut().flush();
        return 0;
    }

    private void read(URL url) throws IOException {
        try (InputStream in = url.openStream();
             BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.isBlank() || line.strip().startsWith("#")) {
                    continue;
                }
                Matcher matcher = LINE.matcher(line);
                if (!matcher.matches()) {
                    throw new IOException(url + ": '" + line + "' is not of the form name = main.Class  # help");
                }
                String help = matcher.group(3) == null ? "" : matcher.group(3);
                byName.put(matcher.group(1), new Program(matcher.group(2), help));
            }
        }
    }

    record Program(String mainClass, String help) {
    }
}

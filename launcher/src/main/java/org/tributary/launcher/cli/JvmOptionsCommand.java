package org.tributary.launcher.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.tributary.config.Shortage;
import org.tributary.launcher.job.JavaCommand;
import org.tributary.launcher.job.Libraries;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** For job scripts: {@code java $(tributary jvm-options) my.Main}. */
@Command(name = "jvm-options", mixinStandardHelpOptions = true, versionProvider = Version.class,
    description = "Prints the options, class path included, with which 'java' starts a rank.")
final class JvmOptionsCommand implements Callable<Integer> {
    /** Where a shell splits what $(...) has printed. */
    private static final Pattern SPLIT = Pattern.compile("\\s");

    @Spec
    private CommandSpec spec;

    @Option(names = "--server", description = "Print those of a server instead.")
    private boolean server;

    @Option(names = "--no-class-path", description = "Leave the class path out.")
    private boolean noClassPath;

    @Option(names = "--class-path", paramLabel = "PATH", description = "Add PATH to the end of the class path.")
    private String classPath;

    @Option(names = "--argument-file", paramLabel = "FILE",
        description = "Write the options to FILE, for 'java @FILE'; paths in it may have spaces.")
    private Path argumentFile;

    @Override
    public Integer call() throws IOException {
        if (noClassPath && classPath != null) {
            throw new ParameterException(spec.commandLine(), "--class-path contradicts --no-class-path");
        }
        List<String> options = options();
        if (argumentFile != null) {
            write(options);
            return 0;
        }
        PrintWriter out = spec.commandLine().getOut();
        options.forEach(out::println);
        out.flush();
        options.stream().filter(SPLIT.asPredicate()).findFirst().ifPresent(this::warn);
        return 0;
    }

    private List<String> options() {
        List<String> options = new ArrayList<>(server ? JavaCommand.serverOptions() : JavaCommand.rankOptions());
        if (!noClassPath) {
            String jars = (server ? Libraries.ALL : Libraries.RANK).jars();
            options.addAll(List.of("-cp", classPath == null ? jars : jars + ":" + classPath));
        }
        return options;
    }

    private void warn(String option) {
        spec.commandLine().getErr().println("tributary: a shell splits $(tributary jvm-options) at the space in '"
            + option + "': write the options to a file with --argument-file FILE, and start java @FILE");
    }

    private void write(List<String> options) throws IOException {
        try {
            Files.write(argumentFile, options.stream().map(JvmOptionsCommand::quoted).toList());
        } catch (IOException e) {
            throw new IOException("cannot write the file of options " + argumentFile + ": " + Shortage.describe(e), e);
        }
    }

    /** As the command 'java' reads it. */
    private static String quoted(String option) {
        return '"' + option.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}

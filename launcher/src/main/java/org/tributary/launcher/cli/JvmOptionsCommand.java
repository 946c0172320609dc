package org.tributary.launcher.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.tributary.launcher.job.JavaCommand;
import org.tributary.launcher.job.Libraries;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** For job scripts: {@code java $(tributary jvm-options) my.Main}. */
@Command(name = "jvm-options", mixinStandardHelpOptions = true, versionProvider = Version.class,
    description = "Prints the options, class path included, with which 'java' starts a rank.")
final class JvmOptionsCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--server", description = "Print those of a server instead.")
    private boolean server;

    @Option(names = "--no-class-path", description = "Leave the class path out.")
    private boolean noClassPath;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        (server ? JavaCommand.serverOptions() : JavaCommand.rankOptions()).forEach(out::println);
        if (!noClassPath) {
            out.println("-cp");
            out.println((server ? Libraries.ALL : Libraries.RANK).jars());
        }
        out.flush();
        return 0;
    }
}

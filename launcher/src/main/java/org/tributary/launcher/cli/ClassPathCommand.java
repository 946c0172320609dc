package org.tributary.launcher.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.tributary.launcher.job.Libraries;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** For compilers: {@code javac -cp $(tributary class-path) My.java}. */
@Command(name = "class-path", mixinStandardHelpOptions = true, versionProvider = Version.class,
    description = "Prints the jars that a program in Java is compiled with, separated by colons.")
final class ClassPathCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--adapter", description = "Print the jars that ranks need besides with network.fabric; they come"
        + " last on a class path.")
    private boolean adapter;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        out.println((adapter ? Libraries.ADAPTER : Libraries.RANK).jars());
        out.flush();
        return 0;
    }
}

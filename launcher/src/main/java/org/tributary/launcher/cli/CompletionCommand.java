package org.tributary.launcher.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Completion of commands and options in bash and zsh. */
@Command(name = "completion", mixinStandardHelpOptions = true, versionProvider = Version.class,
    description = "Prints a script that completes commands and options in bash and zsh.",
    footer = {"", "In the shell, or in its start-up file: source <(tributary completion)"})
final class CompletionCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        spec.commandLine().getOut().print(AutoComplete.bash("tributary", spec.root().commandLine()));
        spec.commandLine().getOut().flush();
        return 0;
    }
}

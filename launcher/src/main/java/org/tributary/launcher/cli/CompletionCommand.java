package org.tributary.launcher.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Completion of commands, programs, settings and options in bash and zsh. */
@Command(name = "completion", mixinStandardHelpOptions = true, versionProvider = Version.class,
    description = "Prints a script that completes commands, programs, settings and options in bash and zsh.",
    footer = {"", "In the shell, or in its start-up file: source <(tributary completion)"})
final class CompletionCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        spec.commandLine().getOut().print(Completion.script(spec.root().commandLine()));
        spec.commandLine().getOut().flush();
        return 0;
    }
}

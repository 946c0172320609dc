package org.tributary.launcher.cli;

import java.util.ArrayList;
import java.util.List;
import org.tributary.config.Nearest;
import org.tributary.launcher.job.ExitCodes;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says what was wrong with a command line, with the nearest thing that would have been right. */
final class UsageErrors {
    private UsageErrors() {
    }

    static int handle(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        String message = e.getMessage();
        if (e instanceof UnmatchedArgumentException unmatched && !unmatched.getUnmatched().isEmpty()) {
            message = unknown(command, unmatched.getUnmatched().getFirst());
        }
        command.getErr().println("tributary: " + message);
        command.getErr().println("see '" + command.getCommandSpec().qualifiedName() + " --help'");
        return ExitCodes.USAGE;
    }

    /** Reports a problem that a command itself found, before it started anything or while it ran. */
    static int handle(Exception e, CommandLine command, ParseResult parsed) throws Exception {
        return Problems.report(e, command.getErr());
    }

    private static String unknown(CommandLine command, String argument) {
        if (argument.startsWith("-")) {
            List<String> options = new ArrayList<>(command.getCommandSpec().optionsMap().keySet());
            CommandLine parent = command.getParent();
            if (parent != null && parent.isUnmatchedArgumentsAllowed()) {
                options.addAll(parent.getCommandSpec().optionsMap().keySet()); // given among this command's own
            }
            String name = argument.contains("=") ? argument.substring(0, argument.indexOf('=')) : argument;
            return "unknown option '" + name + "'" + Nearest.hint(name, options);
        }
        if (!command.getSubcommands().isEmpty()) {
            return "unknown command '" + argument + "'" + Nearest.hint(argument, command.getSubcommands().keySet());
        }
        return "unexpected argument '" + argument + "'";
    }
}

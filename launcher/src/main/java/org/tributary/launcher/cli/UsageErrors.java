package org.tributary.launcher.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.tributary.config.Nearest;
import org.tributary.launcher.job.ExitCodes;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says what was wrong with a command line, with the nearest thing that would have been right. */
final class UsageErrors {
    private static final String RANKS = "--ranks-per-node";
    /** What mpirun, mpiexec and srun call the number of ranks; the value may be attached. */
    private static final Pattern RANKS_OF_MPI = Pattern.compile("(-n|-np|--np|--ntasks)[0-9]*");

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
            return unknownOption(command, argument.contains("=") ? argument.substring(0, argument.indexOf('='))
                : argument);
        }
        if (!command.getSubcommands().isEmpty()) {
            return "unknown command '" + argument + "'" + Nearest.hint(argument, command.getSubcommands().keySet());
        }
        return "unexpected argument '" + argument + "'";
    }

    private static String unknownOption(CommandLine command, String name) {
        List<String> options = new ArrayList<>(command.getCommandSpec().optionsMap().keySet());
        CommandLine parent = command.getParent();
        Set<String> ofParent = parent == null ? Set.of() : parent.getCommandSpec().optionsMap().keySet();
        if (parent != null && parent.isUnmatchedArgumentsAllowed()) {
            options.addAll(ofParent); // given among this command's own
        } else if (ofParent.contains(name)) {
            return "'" + name + "' is an option of '" + parent.getCommandSpec().qualifiedName()
                + "': write it before '" + command.getCommandName() + "'";
        }
        boolean isOfMpi = RANKS_OF_MPI.matcher(name).matches() && options.contains(RANKS);
        return "unknown option '" + name + "'"
            + (isOfMpi ? "; the number of ranks is " + RANKS + " on each of --nodes" : Nearest.hint(name, options));
    }
}

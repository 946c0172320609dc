package org.tributary.launcher.cli;

import java.util.List;
import java.util.Optional;
import org.tributary.config.LayoutChecked;
import org.tributary.config.Topology;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Arguments of the programs that come with Tributary, most of which are picocli commands. Parsed here first, so that a
 * wrong one is refused once and before anything starts, instead of by every rank.
 */
final class ProgramArguments {
    private ProgramArguments() {
    }

    /**
     * The exit code when the arguments only asked for help, which is given at once; empty when they are to be run.
     *
     * @throws picocli.CommandLine.ParameterException when the program would refuse them
     * @throws org.tributary.config.ConfigException when it would not run on the layout
     */
    static Optional<Integer> check(Programs.Program program, List<String> arguments, CommandSpec starter,
        Topology topology) {
        Optional<CommandLine> found = command(program, starter);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        CommandLine command = found.get();
        Integer helped = CommandLine.executeHelpRequest(command.parseArgs(arguments.toArray(String[]::new)));
        if (helped == null && command.getCommand() instanceof LayoutChecked checked) {
            checked.checkLayout(topology);
        }
        return Optional.ofNullable(helped);
    }

    /** The program's own command, as if it were one of {@code starter}; empty when it is not a picocli command. */
    static Optional<CommandLine> command(Programs.Program program, CommandSpec starter) {
        Class<?> main;
        try {
            main = Class.forName(program.mainClass(), false, ProgramArguments.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("a jar names a program that is not on the class path", e);
        }
        if (!main.isAnnotationPresent(Command.class)) {
            return Optional.empty();
        }
        CommandLine command = new CommandLine(main).setCaseInsensitiveEnumValuesAllowed(true);
        if (command.getCommandSpec().optionsMap().values().stream().noneMatch(OptionSpec::usageHelp)) {
            command.getCommandSpec().addOption(OptionSpec.builder("-h", "--help").usageHelp(true)
                .description("Show this help and exit.").build());
        }
        command.getCommandSpec().parent(starter);
        command.setUsageHelpAutoWidth(true);
        command.setExpandAtFiles(false);
        return Optional.of(command.setOut(starter.commandLine().getOut()).setErr(starter.commandLine().getErr()));
    }
}

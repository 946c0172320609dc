package org.tributary.launcher.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.tributary.config.ConfigException;
import org.tributary.config.JobVariables;
import org.tributary.config.Quantity;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.launcher.job.JavaCommand;
import org.tributary.launcher.job.JobPlan;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Starts a job and stays until it has ended. */
@Command(name = "run", mixinStandardHelpOptions = true, versionProvider = Version.class, sortOptions = false,
    description = "Starts a server for each node and the ranks of a program, and ends them together.",
    customSynopsis = {"tributary run [OPTIONS] PROGRAM [ARGUMENT...]",
        "tributary run [OPTIONS] --class-path PATH MAIN-CLASS [ARGUMENT...]",
        "tributary run [OPTIONS] -- EXECUTABLE [ARGUMENT...]"},
    footer = {"", "'tributary run' alone lists the programs that come with it. Rank 0 reads the standard input of this"
        + " command, other ranks /dev/null. The exit code is that of"
        + " the rank that failed, 124 after --timeout, 130 or 143 after SIGINT or SIGTERM, 2 if nothing was started.",
        "", "If the job hangs, 'tributary status --why JOB' says who waits for whom, and so does this command on"
        + " Ctrl-\\ (SIGQUIT) or SIGUSR1."})
final class RunCommand implements Callable<Integer> {
    private static final String END_OF_OPTIONS = "--";

    @Spec
    private CommandSpec spec;

    @Mixin
    private JobOptions job;

    @Option(names = "--env", paramLabel = "NAME=VALUE",
        description = "A variable in the environment of ranks. Repeatable.")
    private List<String> variables = new ArrayList<>();

    @Option(names = "--output", paramLabel = "prefix|plain", defaultValue = "PREFIX",
        description = "Whether each line of output begins with [rank] (default: prefix).")
    private Output output;

    @Option(names = "--timeout", paramLabel = "DURATION",
        description = "End the job after this long, such as 90s or 2h, counted from the start of this command: the"
            + " start of hosts and servers, and all restarts, are in it.")
    private String timeout;

    @Option(names = "--restarts", paramLabel = "N", defaultValue = "0",
        description = "Start the job anew, up to N times, when it has lost a rank to a signal, or a server, or a host"
            + " (default: ${DEFAULT-VALUE}). A program that writes checkpoints goes on from there. Not after a rank"
            + " that exits with a code of its own, --timeout, or an interrupt.")
    private int restarts;

    @Option(names = "--class-path", paramLabel = "PATH", defaultValue = "",
        description = "Directories and jars of a Java program, separated by colons.")
    private String classPath;

    @Parameters(paramLabel = "PROGRAM", arity = "0..*", description = "What to run, with its arguments.")
    private List<String> words = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        Programs programs = Programs.load(Programs.RUN);
        if (words.isEmpty()) {
            return Programs.answerWithoutName(spec.commandLine(), "program", programs);
        }
        if (restarts < 0) {
            throw new ConfigException("--restarts: a job is started anew 0 times or more, not " + restarts);
        }
        boolean executable = afterEndOfOptions();
        if (executable) {
            refuseOptionsOfJava();
        }
        JobOptions.JobPlace place = job.place(1);
        Topology topology = place.topology();
        Settings settings = job.settings(place);
        RankCommand ranks = new RankCommand(classPath, job.jvmOptions(),
            settings.usesFabric(topology.nodeCount()));
        List<String> command = executable ? ranks.executable(words) : ranks.java(programs, words);
        Programs.Program known = executable ? null : programs.byName().get(words.getFirst());
        if (known != null && place.isMeant()) {
            Optional<Integer> answered = ProgramArguments.check(known, words.subList(1, words.size()), spec,
                topology);
            if (answered.isPresent()) {
                return answered.get();
            }
        }
        return JobRunner.run(new JobPlan(topology, settings, JavaCommand.server(topology), command, environment(),
            output == Output.PREFIX, timeoutNs(), job.verbose()), place, restarts);
    }

    private void refuseOptionsOfJava() {
        String given = !classPath.isEmpty() ? "--class-path" : !job.jvmOptions().isEmpty() ? "--jvm-option" : null;
        if (given != null) {
            throw new ConfigException(given + " is for programs in Java, and what follows -- is an executable: leave"
                + " out one of the two");
        }
    }

    private boolean afterEndOfOptions() {
        List<String> all = spec.commandLine().getParseResult().originalArgs();
        int first = all.size() - words.size();
        return first > 0 && all.get(first - 1).equals(END_OF_OPTIONS);
    }

    private Map<String, String> environment() {
        Map<String, String> environment = new LinkedHashMap<>();
        for (String variable : variables) {
            int equals = variable.indexOf('=');
            if (equals < 1) {
                throw new ConfigException("--env: '" + variable + "' is not of the form NAME=VALUE");
            }
            if (variable.startsWith(JobVariables.PREFIX)) {
                throw new ConfigException("--env: " + variable.substring(0, equals)
                    + " is set by the launcher; settings are given with --set");
            }
            environment.put(variable.substring(0, equals), variable.substring(equals + 1));
        }
        environment.putAll(job.variables());
        return environment;
    }

    private long timeoutNs() {
        if (timeout == null) {
            return 0;
        }
        long ns;
        try {
            ns = Quantity.DURATION.parse(timeout);
        } catch (ConfigException e) {
            throw new ConfigException("--timeout: " + e.getMessage());
        }
        if (ns == 0) {
            throw new ConfigException("--timeout: a job cannot end after 0");
        }
        return ns;
    }

    /** How lines of ranks are forwarded. */
    enum Output { PREFIX, PLAIN }
}

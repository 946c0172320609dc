package org.tributary.launcher.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.launcher.node.ServerProcess;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** One server in the foreground, for job scripts; the launcher starts its own the same way. */
@Command(name = "server", mixinStandardHelpOptions = true, versionProvider = Version.class,
    description = "Runs the communication server of one node until its job ends.",
    footer = {"", "Which job and node is read from the environment: TRIBUTARY_JOB_ID, TRIBUTARY_SECRET or"
        + " TRIBUTARY_SECRET_FILE, TRIBUTARY_LAYOUT, TRIBUTARY_NODE, TRIBUTARY_SERVERS or TRIBUTARY_SERVERS_FILE. The"
        + " exit code is 0 when all ranks have left, 1 when the job was aborted, 130 or 143 after a signal."})
final class ServerCommand implements Callable<Integer> {
    @Mixin
    private SettingsOptions settings = new SettingsOptions();

    @Option(names = "--address-file", paramLabel = "FILE",
        description = "Write host:port to this file once the server listens.")
    private Path addressFile;

    @Option(names = "--supervised", hidden = true,
        description = "Obey the launcher at the other end of standard input.")
    private boolean supervised;

    private final int nodes;

    ServerCommand() {
        this(false, 1);
    }

    ServerCommand(boolean supervised, int nodes) {
        this.supervised = supervised;
        this.nodes = nodes;
    }

    @Override
    public Integer call() throws Exception {
        JobEnvironment job = JobEnvironment.forServer(System.getenv());
        Settings effective = settings.settings(job.topology(), false);
        return new ServerProcess(job, nodes, effective, addressFile, supervised).run();
    }
}

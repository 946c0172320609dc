package org.tributary.launcher;

import java.io.IOException;
import java.util.List;
import org.tributary.config.Shortage;
import org.tributary.launcher.cli.HostAgent;
import org.tributary.launcher.cli.SupervisedServer;
import org.tributary.launcher.cli.TributaryCommand;
import org.tributary.launcher.job.ExitCodes;
import org.tributary.launcher.job.JavaCommand;
import org.tributary.launcher.job.OpenFiles;

/** The process that the {@code tributary} script starts, and that a supervised server runs in. */
public final class Main {
    private Main() {
    }

    public static void main(String[] args) throws Exception {
        int exitCode;
        try {
            OpenFiles.require(OpenFiles.OF_A_JVM);
            List<String> words = List.of(args);
            exitCode = JavaCommand.isSupervisedServer(words) ? SupervisedServer.run(JavaCommand.nodesOf(words))
                : words.equals(JavaCommand.AGENT) ? HostAgent.run() : TributaryCommand.execute(args);
        } catch (IOException | OutOfMemoryError e) {
            System.err.println("tributary: " + Shortage.describe(e));
            exitCode = ExitCodes.FAILURE;
        }
        System.exit(exitCode);
    }
}

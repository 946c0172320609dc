package org.tributary.launcher;

import java.io.IOException;
import org.tributary.config.Shortage;
import org.tributary.launcher.cli.TributaryCommand;
import org.tributary.launcher.job.ExitCodes;
import org.tributary.launcher.job.OpenFiles;

/** The process that the {@code tributary} script starts, and that a supervised server runs in. */
public final class Main {
    private Main() {
    }

    public static void main(String[] args) {
        int exitCode;
        try {
            OpenFiles.require(OpenFiles.OF_A_JVM);
            exitCode = TributaryCommand.execute(args);
        } catch (IOException | OutOfMemoryError e) {
            System.err.println("tributary: " + Shortage.describe(e));
            exitCode = ExitCodes.FAILURE;
        }
        System.exit(exitCode);
    }
}

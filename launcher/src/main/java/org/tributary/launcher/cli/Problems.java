package org.tributary.launcher.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileSystemException;
import org.tributary.config.ConfigException;
import org.tributary.config.Shortage;
import org.tributary.launcher.job.ExitCodes;
import org.tributary.server.ServerException;

/** Tells the user what a command found wrong, before it started anything or while it ran. */
final class Problems {
    private Problems() {
    }

    /** Returns the exit code; throws again what is a fault of ours. */
    static int report(Exception e, PrintWriter err) throws Exception {
        switch (e) {
            case ConfigException config -> {
                config.problems().forEach(problem -> err.println("tributary: " + problem));
                return ExitCodes.USAGE;
            }
            case ServerException failed -> err.println("tributary: " + failed.getMessage());
            case FileSystemException failed -> err.println("tributary: " + Shortage.describe(failed));
            case IOException failed -> err.println("tributary: " + failed.getMessage());
            default -> throw e;
        }
        return ExitCodes.FAILURE;
    }
}

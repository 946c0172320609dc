package org.tributary.launcher.cli;

import java.io.PrintWriter;

/**
 * The server that a launcher or libarmci starts. Its command line is always the same and is not parsed: that would take
 * as long as everything else that a server does before it listens.
 */
public final class SupervisedServer {
    private SupervisedServer() {
    }

    /** Runs servers of so many nodes until their job ends; returns the exit code. */
    public static int run(int nodes) throws Exception {
        try {
            return new ServerCommand(true, nodes).call();
        } catch (Exception e) {
            PrintWriter err = new PrintWriter(System.err, true);
            return Problems.report(e, err);
        }
    }
}

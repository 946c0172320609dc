package org.tributary.launcher;

import org.tributary.launcher.cli.TributaryCommand;

/** The process that the {@code tributary} script starts, and that a supervised server runs in. */
public final class Main {
    private Main() {
    }

    public static void main(String[] args) {
        System.exit(TributaryCommand.execute(args));
    }
}

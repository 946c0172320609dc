package org.tributary.miniapps;

import org.tributary.client.Gas;
import picocli.CommandLine.Command;

/**
 * Attaches and leaves at once: what remains is the time to start and end a job. Parses nothing, to load nothing; the
 * annotation is for the launcher, which does.
 */
@Command(name = "empty", description = "Attaches and leaves, for measuring start-up; takes no arguments.")
public final class Empty {
    private static final int BAD_ARGUMENTS = 2;

    private Empty() {
    }

    public static void main(String[] arguments) {
        if (arguments.length > 0) {
            System.err.println("empty takes no arguments: it attaches to the job and leaves, for measuring start-up");
            System.exit(BAD_ARGUMENTS);
        }
        Gas.attach().close();
    }
}

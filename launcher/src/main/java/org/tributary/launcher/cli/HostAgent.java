package org.tributary.launcher.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import org.tributary.launcher.host.Agent;
import org.tributary.launcher.job.QuitSignal;

/** The agent that a launcher starts on a host. As with a server, its command line is not parsed. */
public final class HostAgent {
    private HostAgent() {
    }

    /** Runs it until its job ends; returns the exit code. */
    public static int run() throws IOException, InterruptedException {
        // Closing a channel, and no plain stream, ends a write that waits for room in a pipe.
        OutputStream launcher = Channels.newOutputStream(new FileOutputStream(FileDescriptor.out).getChannel());
        System.setOut(System.err); // nothing else may get between the messages
        QuitSignal.silence(); // nor stacks, which the JVM prints to where messages go
        return Agent.run(System.in, launcher, Release.text());
    }
}

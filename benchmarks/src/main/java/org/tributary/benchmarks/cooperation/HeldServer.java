package org.tributary.benchmarks.cooperation;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.server.CommunicationServer;

/**
 * The process whose memory is measured: the communication server that its environment describes, until standard input
 * ends. It says on which port it listens; for each line that it is sent it collects garbage and answers with a line.
 */
public final class HeldServer {
    private HeldServer() {
    }

    /** Takes no arguments. */
    public static void main(String[] arguments) throws IOException {
        JobEnvironment job = JobEnvironment.forServer(System.getenv());
        Settings settings = Settings.builder().environment(System.getenv()).build();
        try (CommunicationServer server = CommunicationServer.start(job, settings);
            BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            answer(Integer.toString(server.address().getPort()));
            while (orders.readLine() != null) {
                System.gc();
                answer("collected");
            }
        }
    }

    private static void answer(String line) {
        System.out.println(line);
        System.out.flush();
    }
}

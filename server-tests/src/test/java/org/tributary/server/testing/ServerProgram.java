package org.tributary.server.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.server.CommunicationServer;
import org.tributary.testsupport.LoggedErrors;

/** A server in a process of its own, which can be killed. */
public final class ServerProgram {
    private ServerProgram() {
    }

    /** Arguments: directory for shared memory, job id. Prints one line when ready, then waits to be killed. */
    public static void main(String[] arguments) throws InterruptedException {
        CommunicationServer server = CommunicationServer.start(JobEnvironment.builder().jobId(arguments[1])
            .secret("0123456789abcdef".getBytes(StandardCharsets.UTF_8)).topology(Topology.of(1)).node(0)
            .servers(List.of("127.0.0.1:1")).build(),
            Settings.builder().set("server.bind-address=127.0.0.1").set("shm.directory=" + arguments[0]).build());
        System.out.println("ready");
        server.awaitTermination();
    }

    /** Starts one; it is ready when this returns. */
    public static Process start(Path shmDirectory, String jobId) throws IOException {
        Process process = LoggedErrors.watch("server", new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED", "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "-Xmx128m",
            "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), ServerProgram.class.getName(),
            shmDirectory.toString(), jobId).start());
        BufferedReader output =
            new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        StringBuilder said = new StringBuilder();
        for (String line = output.readLine(); !"ready".equals(line); line = output.readLine()) {
            if (line == null) {
                throw new IOException("the server ended: " + said);
            }
            said.append(line).append('\n');
        }
        return process;
    }
}

package org.tributary.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Three hosts with a {@code /dev/shm} each. On every one a process waits for the end of this one, and so keeps the
 * host's mounts.
 */
final class CampaignHosts implements AutoCloseable {
    private final Hosts hosts = Hosts.make(CampaignPlan.NODES);
    private final List<Process> keepers = new ArrayList<>();

    CampaignHosts() throws IOException {
        try {
            for (int host = 0; host < CampaignPlan.NODES; host++) {
                Process keeper = new ProcessBuilder(hosts.on(host, List.of("unshare", "--mount", "--uts",
                    "--propagation", "private", "sh", "-c", "hostname h" + host
                        + " && mount -t tmpfs -o size=512m none /dev/shm && echo ready && exec cat")))
                    .redirectError(ProcessBuilder.Redirect.INHERIT).start();
                keepers.add(keeper);
                if (!"ready".equals(keeper.inputReader().readLine())) {
                    throw new IOException("host " + host + " has no mounts of its own");
                }
            }
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    String address(int host) {
        return hosts.address(host);
    }

    /** A command as one of that host. */
    List<String> on(int host, List<String> command) {
        String keeper = Long.toString(keepers.get(host).pid());
        List<String> all = new ArrayList<>(List.of("nsenter", "-t", keeper, "-m", "-n", "-u"));
        all.addAll(command);
        return all;
    }

    /** What is in the host's shared memory. */
    List<Path> sharedMemory(int host) {
        return Place.entries(Path.of("/proc/" + keepers.get(host).pid() + "/root/dev/shm"));
    }

    /** Whether that process is on that host. */
    boolean isOn(int host, long pid) {
        return namespace(pid).equals(namespace(keepers.get(host).pid()));
    }

    private static String namespace(long pid) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/" + pid + "/ns/net")).toString();
        } catch (IOException e) {
            return "none of " + pid; // it has ended
        }
    }

    void cut(int host) throws IOException {
        hosts.cut(host);
    }

    void connect(int host) throws IOException {
        hosts.connect(host);
    }

    @Override
    public void close() {
        keepers.forEach(Process::destroyForcibly);
        hosts.close();
    }
}

package org.tributary.launcher.node;

import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import java.util.stream.IntStream;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.launcher.bind.Binding;
import org.tributary.launcher.bind.LinkSpeed;
import org.tributary.server.LoopCount;
import org.tributary.server.LoopCount.Room;

/**
 * How many event loops the servers of a process have. A launcher has said so; a server that a job script or libarmci
 * starts finds out by itself. Stateless.
 */
final class OwnLoops {
    private OwnLoops() {
    }

    /**
     * The settings of these servers, with the number of loops that each really has.
     *
     * @param nodes how many servers there are in this process, from that of {@code job} on
     */
    static Settings decided(JobEnvironment job, int nodes, Settings settings) {
        boolean isAutomatic = LoopCount.isAutomatic(settings, settings.cooperationMode(), job.topology().nodeCount());
        return decided(job, nodes, settings, isAutomatic ? Binding.coresHere() : 1);
    }

    static Settings decided(JobEnvironment job, int nodes, Settings settings, int cores) {
        int[] here = nodesHere(job, nodes);
        int ranks = IntStream.of(here).map(job.topology()::rankCount).sum();
        return settings.withServerThreads(LoopCount.of(settings, settings.cooperationMode(),
            job.topology().nodeCount(), new Room(cores, ranks, here.length, () -> linkMbit(settings))));
    }

    /** Those of this process, and those whose servers listen on the same host, as far as a job script says where. */
    private static int[] nodesHere(JobEnvironment job, int nodes) {
        List<String> servers = job.servers();
        return IntStream.range(0, job.topology().nodeCount()).filter(node ->
            node >= job.node() && node < job.node() + nodes
                || !servers.isEmpty() && host(servers.get(node)).equals(host(servers.get(job.node())))).toArray();
    }

    private static String host(String address) {
        return address.substring(0, address.lastIndexOf(':'));
    }

    private static long linkMbit(Settings settings) {
        try {
            return LinkSpeed.mbit(InetAddress.getByName(OwnAddress.of(settings)));
        } catch (IOException e) {
            return LinkSpeed.UNKNOWN; // the server will say what is wrong
        }
    }

    /** What to tell a user who has set more loops than this process can run at a time; null for nothing. */
    static String problem(Settings decided, int nodes, int processors) {
        long loops = (long) nodes * decided.serverThreads();
        return decided.serverThreads() == 1 || loops <= processors ? null : "server.threads = "
            + decided.serverThreads() + (nodes == 1 ? "" : " for each of " + nodes + " servers")
            + ", and this process may run on " + processors + (processors == 1 ? " processor" : " processors")
            + ": event loops wait for each other; set fewer, 0 for as many as fit, or give servers more processors";
    }
}

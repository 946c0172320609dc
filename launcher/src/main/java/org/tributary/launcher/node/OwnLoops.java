package org.tributary.launcher.node;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.tributary.config.CooperationMode;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.cooperation.CooperationOptions;
import org.tributary.launcher.bind.Binding;
import org.tributary.launcher.bind.LinkSpeed;
import org.tributary.server.LoopCount;
import org.tributary.server.LoopCount.Room;

/**
 * How many event loops the servers of a process have. A launcher has said so; a server that a job script or libarmci
 * starts finds out by itself. Stateless.
 */
final class OwnLoops {
    /** Where the machine does not decide. */
    private static final Room NOT_ASKED = new Room(1, 1, 1, () -> LinkSpeed.UNKNOWN);

    private OwnLoops() {
    }

    /**
     * What decides, asked only where it does.
     *
     * @param cores    that this process may use
     * @param linkMbit the speed of the network of an address of this machine
     */
    record Machine(IntSupplier cores, ToLongFunction<InetAddress> linkMbit) {
    }

    /**
     * The settings of these servers, with the number of loops that each really has.
     *
     * @param nodes  how many servers there are in this process, from that of {@code job} on
     * @param others asked, if it matters, for servers on other machines that are known to listen
     */
    static Settings decided(JobEnvironment job, int nodes, Settings settings,
        Supplier<List<InetSocketAddress>> others) {
        return decided(job, nodes, settings, others, new Machine(Binding::coresHere, LinkSpeed::mbit));
    }

    static Settings decided(JobEnvironment job, int nodes, Settings settings,
        Supplier<List<InetSocketAddress>> others, Machine machine) {
        Topology topology = job.topology();
        CooperationMode cooperation = CooperationOptions.of(settings, topology).mode();
        Room room = NOT_ASKED;
        if (LoopCount.isAutomatic(settings, cooperation, topology.nodeCount())) {
            int[] here = nodesHere(job, nodes);
            room = new Room(machine.cores.getAsInt(), IntStream.of(here).map(topology::rankCount).sum(), here.length,
                () -> linkMbit(settings, others.get(), machine));
        }
        return settings.withServerThreads(LoopCount.of(settings, cooperation, topology.nodeCount(), room));
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

    private static long linkMbit(Settings settings, List<InetSocketAddress> others, Machine machine) {
        try {
            return machine.linkMbit.applyAsLong(InetAddress.getByName(OwnAddress.of(settings, others)));
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

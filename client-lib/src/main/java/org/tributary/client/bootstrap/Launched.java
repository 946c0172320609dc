package org.tributary.client.bootstrap;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.tributary.client.error.AttachException;
import org.tributary.config.JobEnvironment;
import org.tributary.config.JobVariables;
import org.tributary.config.Settings;
import org.tributary.config.Shortage;
import org.tributary.config.Topology;
import org.tributary.wire.shm.NodeDirectory;

/**
 * This process's place in a job that its ranks have made themselves, and the server of its node if this process has
 * started that.
 */
public final class Launched {
    private static final int EXIT_CODE = 1;
    private static final int MOST_OF_A_MESSAGE = 1000;
    private static final int STATUS_FIELDS = 2;
    /** Nobody else waits for the server of one rank, which builds Tributary when it is started for the first time. */
    private static final long ALONE_STARTS_NS = 900_000_000_000L;
    private static final long FORWARDED_NS = 500_000_000L;

    private final Exchange exchange;
    private final Settings settings;
    private final JobEnvironment job;
    private final NodeServer server;
    private boolean over;

    private Launched(Exchange exchange, Settings settings, JobEnvironment job, NodeServer server) {
        this.exchange = exchange;
        this.settings = settings;
        this.job = job;
        this.server = server;
    }

    /**
     * Makes a job of the ranks that the process manager has started; collective over them.
     *
     * @param problem what is wrong with this rank's settings, or empty
     * @throws AttachException on every rank when that is not possible; when other ranks cannot be told, they are ended
     */
    static Launched make(Exchange exchange, Map<String, String> environment, Settings settings, String problem) {
        KeyValues launcher = exchange.values();
        Starting starting = new Starting(exchange, environment, settings, problem);
        boolean isAlike = launcher.size() == 1;
        exchange.begin();
        try {
            JobEnvironment job = starting.run();
            isAlike = true;
            return new Launched(exchange, settings, job, starting.server);
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            isAlike |= e instanceof AgreedFailure;
            String problemHere = words(e);
            String message = "rank " + launcher.rank() + " of " + launcher.size() + " (" + launcher.name()
                + ") cannot make a job with the others: " + problemHere;
            starting.undo();
            if (!isAlike) {
                abort(launcher, message);
            }
            throw new AttachException(launcher.size() == 1 ? problemHere : message, e);
        } finally {
            exchange.end(isAlike);
        }
    }

    private static String words(Throwable e) {
        return e instanceof OutOfMemoryError ? Shortage.describe(e) : e.getMessage() == null ? e.toString()
            : e.getMessage();
    }

    /** A launcher that is told to end everything forwards no output any more: it gets time for what is said before. */
    private static void abort(KeyValues launcher, String message) {
        System.err.println("tributary: " + message);
        System.err.flush();
        LockSupport.parkNanos(FORWARDED_NS);
        launcher.abort(EXIT_CODE, message);
    }

    /** The job and this rank's place in it. */
    public JobEnvironment job() {
        return job;
    }

    /** This rank cannot attach: the others would wait for it for ever. */
    public void giveUp(String problem) {
        if (server != null) {
            server.end();
        }
        if (exchange.values().size() > 1) {
            exchange.begin();
            try {
                abort(exchange.values(), problem);
            } finally {
                exchange.end(false);
            }
        }
    }

    /**
     * This rank has left the job.
     *
     * @param isLast whether all others of its node have left before; its process then stays until the server has ended
     */
    public synchronized void leave(BooleanSupplier isLast) {
        if (over) {
            return;
        }
        over = true;
        boolean stays = isLast.getAsBoolean();
        if (server != null) {
            server.release();
        }
        if (stays) {
            new LastOfNode(NodeDirectory.of(settings.shmDirectory(), job.jobId(), job.node()), job.rank(), job.node())
                .stayAtExit();
        }
    }

    /** The steps to a job. */
    private static final class Starting {
        private final Exchange exchange;
        private final KeyValues launcher;
        private final Map<String, String> environment;
        private final Settings settings;
        private final String problem;
        private NodeServer server;

        private Starting(Exchange exchange, Map<String, String> environment, Settings settings, String problem) {
            this.exchange = exchange;
            this.launcher = exchange.values();
            this.environment = environment;
            this.settings = settings;
            this.problem = problem;
        }

        private JobEnvironment run() throws IOException {
            String secretFile = Self.secretFile(environment);
            List<String> selves = exchange.gather(Self.of(environment, settings, problem).encode());
            Plan plan = Plan.read(exchange.broadcast(launcher.rank() == 0 ? Plan.make(selves) : ""), secretFile);
            Topology topology = plan.topology();
            int node = topology.nodeOf(launcher.rank());
            String status = isLowest(topology, launcher.rank()) ? startServer(plan, node) : "";
            List<String> statuses = exchange.gather(status);
            String told = exchange.broadcast(launcher.rank() == 0 ? join(statuses, topology) : "");
            List<String> result = Fields.split(told, STATUS_FIELDS);
            if (!result.getFirst().equals(Plan.GOOD)) {
                throw new AgreedFailure(result.get(1));
            }
            List<String> addresses = List.of(result.get(1).split(","));
            if (server != null) {
                server.tell(addresses);
            }
            JobEnvironment.Builder job = JobEnvironment.builder().jobId(plan.jobId()).topology(topology)
                .rank(launcher.rank()).servers(addresses);
            String trace = environment.get(JobVariables.TRACE);
            if (trace != null && !trace.isBlank()) {
                job.trace(trace.strip());
            }
            return (secretFile == null ? job.secret(plan.secret()) : job.secretFile(Path.of(secretFile)))
                .build();
        }

        private static boolean isLowest(Topology topology, int rank) {
            for (int other = 0; other < rank; other++) {
                if (topology.nodeOf(other) == topology.nodeOf(rank)) {
                    return false;
                }
            }
            return true;
        }

        /** Its address, or what went wrong: the others have to know both. */
        private String startServer(Plan plan, int node) {
            try {
                server = NodeServer.start(plan, node, environment, settings);
                return Fields.join(Plan.GOOD, server.awaitReady(launcher.rank(),
                    launcher.size() == 1 ? ALONE_STARTS_NS : settings.attachTimeoutNs()));
            } catch (IOException | RuntimeException | OutOfMemoryError e) {
                String message = "rank " + launcher.rank() + ": " + words(e);
                return Fields.join(Plan.BAD, message.substring(0, Math.min(message.length(), MOST_OF_A_MESSAGE)));
            }
        }

        /** The addresses by node, or the first problem. */
        private static String join(List<String> statuses, Topology topology) throws IOException {
            String[] addresses = new String[topology.nodeCount()];
            for (int rank = 0; rank < statuses.size(); rank++) {
                if (!statuses.get(rank).isEmpty()) {
                    List<String> status = Fields.split(statuses.get(rank), STATUS_FIELDS);
                    if (!status.getFirst().equals(Plan.GOOD)) {
                        return statuses.get(rank);
                    }
                    addresses[topology.nodeOf(rank)] = status.get(1);
                }
            }
            return Fields.join(Plan.GOOD, String.join(",", new ArrayList<>(List.of(addresses))));
        }

        private void undo() {
            if (server != null) {
                server.end();
            }
        }
    }
}

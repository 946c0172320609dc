package org.tributary.client.link;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.tributary.client.connection.ChannelTransport;
import org.tributary.client.connection.RecordTransport;
import org.tributary.client.connection.RingChannel;
import org.tributary.client.connection.SocketTransport;
import org.tributary.client.connection.Transport;
import org.tributary.client.error.AttachException;
import org.tributary.client.error.JobAbortedException;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.wire.BlockingConnection;
import org.tributary.wire.Deadline;
import org.tributary.wire.Membership;
import org.tributary.wire.RefusedException;
import org.tributary.wire.ServerAddress;
import org.tributary.wire.codec.Role;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.shm.RingFile;

/** Connections over sockets, to the addresses that the job's environment lists. Thread-safe. */
public final class SocketConnector implements Connector {
    private static final long RETRY_NS = 5_000_000;
    /** A rank that is not admitted asks less and less often, so that it does not keep a busy server busy. */
    private static final long LAST_RETRY_NS = 250_000_000;
    /** A connection that can be done without holds up no longer. */
    private static final long DIRECT_CONNECT_NS = 1_000_000_000;

    private final JobEnvironment job;
    private final Settings settings;
    private final Membership membership;
    private final JobFailure failure;
    private final Names names = new Names(InetAddress::getAllByName);
    private volatile boolean ended;

    /** Of a rank that is such a member of its job. */
    public SocketConnector(JobEnvironment job, Settings settings, Membership membership, JobFailure failure) {
        this.job = job;
        this.settings = settings;
        this.membership = membership;
        this.failure = failure;
    }

    /** Connects to the rank's own server; requests go through a ring of {@code arena} if there is one. */
    Admitted toOwnServer(SocketAddress address, boolean hasRing, Arena arena) throws IOException {
        RingFile rings = hasRing ? openRings(arena) : null;
        return untilAdmitted(job.node(), address, Deadline.in(settings.attachTimeoutNs()),
            deadline -> connect(address, Role.LOCAL_RANK, job.node(), rings, deadline));
    }

    /** Connects to the rank's own server once more, for its {@link Lifeline}. */
    public BlockingConnection lifeline(SocketAddress address) throws IOException {
        return untilAdmitted(job.node(), address, Deadline.in(settings.attachTimeoutNs()), deadline -> {
            BlockingConnection line = BlockingConnection.connect(address, deadline);
            try {
                line.admit(membership, Role.LIFELINE, job.rank(), job.node(), job.node());
                return line;
            } catch (IOException | RuntimeException | Error e) {
                line.close();
                throw e;
            }
        });
    }

    @Override
    public Admitted connectToServer(int node) {
        Deadline whole = Deadline.in(settings.attachTimeoutNs());
        String address = addressOf(node, whole);
        while (true) {
            try {
                return untilAdmitted(node, address, whole,
                    deadline -> connect(ServerAddress.unresolved(address), Role.REMOTE_RANK, node, null,
                        deadline));
            } catch (UnknownHostException e) {
                // Java does not tell a name service that asks to come later from one that does not know the name.
                retryUntil(whole, LAST_RETRY_NS, "the address of node " + node + "'s server, " + address
                    + ", cannot be resolved within attach.timeout: " + e.getMessage(), e);
            } catch (ConnectException e) {
                // Job scripts may start ranks before every server listens.
                retryUntil(whole, RETRY_NS, "no communication server of node " + node + " at " + address
                    + " within attach.timeout: " + e.getMessage(), e);
            } catch (RefusedException e) {
                throw unreachable(e.getMessage(), e);
            } catch (IOException e) {
                throw unreachable("cannot connect to the server of node " + node + " at " + address + ": "
                    + e.getMessage(), e);
            }
        }
    }

    private interface Attempt<T> {
        T connect(Deadline deadline) throws IOException;
    }

    /** A rank that was slow or stopped is turned away, and a server may be: that is no reason to give up. */
    private <T> T untilAdmitted(int node, Object address, Deadline whole, Attempt<T> attempt) throws IOException {
        for (long pauseNs = RETRY_NS; true; pauseNs = Math.min(2 * pauseNs, LAST_RETRY_NS)) {
            try {
                return attempt.connect(whole.part(settings.connectTimeoutNs()));
            } catch (IOException e) {
                if (!BlockingConnection.mayTryAgain(e)) {
                    throw e;
                }
                retryUntil(whole, pauseNs, "the communication server of node " + node + " at " + address
                    + " has not admitted rank " + job.rank() + " within attach.timeout: " + e.getMessage(), e);
            }
        }
    }

    @Override
    public Admitted openDirect(int node) {
        List<String> addresses = job.servers();
        if (node >= addresses.size()) {
            return null;
        }
        InetSocketAddress name = ServerAddress.unresolved(addresses.get(node));
        Deadline deadline = Deadline.in(Math.min(settings.connectTimeoutNs(), DIRECT_CONNECT_NS));
        InetAddress[] found = names.addressesOf(name.getHostString(), deadline.leftNs());
        if (found == null) {
            failure.check();
            return null;
        }
        try {
            return admit(BlockingConnection.connect(name, found, settings.socketBuffer(), deadline), Role.DIRECT_RANK,
                node, null);
        } catch (IOException e) {
            failure.check();
            return null;
        }
    }

    @Override
    public void end() {
        ended = true;
    }

    /** The file that lists the servers may be completed after ranks have started. */
    private String addressOf(int node, Deadline deadline) {
        while (true) {
            List<String> addresses = job.servers();
            if (node < addresses.size()) {
                return addresses.get(node);
            }
            retryUntil(deadline, RETRY_NS, "the address of node " + node + "'s server is not known:"
                + " TRIBUTARY_SERVERS or the file TRIBUTARY_SERVERS_FILE lists " + addresses.size() + " of "
                + job.topology().nodeCount(), null);
        }
    }

    private void retryUntil(Deadline deadline, long pauseNs, String problem, IOException cause) {
        failure.check();
        if (ended) {
            throw new JobAbortedException("rank " + job.rank() + " leaves the job; " + problem);
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new AttachException("interrupted: " + problem, cause);
        }
        if (deadline.isOver()) {
            throw unreachable(problem, cause);
        }
        LockSupport.parkNanos(pauseNs);
    }

    /** A server may end while a connection to it is made: the job hears of that in a moment, and says more. */
    private AttachException unreachable(String problem, IOException cause) {
        if (cause == null || !BlockingConnection.isInterrupt(cause)) {
            failure.awaitReason();
        }
        return new AttachException(problem, cause);
    }

    private Admitted connect(SocketAddress address, Role role, int node, RingFile rings, Deadline deadline)
        throws IOException {
        return admit(BlockingConnection.connect(address, settings.socketBuffer(), deadline), role, node, rings);
    }

    private Admitted admit(BlockingConnection connection, Role role, int node, RingFile rings) throws IOException {
        try {
            int maxPayload = connection.admit(membership, role, job.rank(), job.node(), node).maxPayload();
            SocketChannel socket = connection.release();
            Transport transport = rings != null
                ? new RingChannel(rings, job.topology().indexOf(job.rank()), socket)
                : connection.records() != null ? new RecordTransport(socket, connection.records())
                : role == Role.REMOTE_RANK && hasChannels() ? new ChannelTransport(new SocketTransport(socket))
                : new SocketTransport(socket);
            return new Admitted(transport, maxPayload);
        } catch (IOException | RuntimeException | Error e) {
            connection.close();
            throw e;
        }
    }

    private boolean hasChannels() {
        return settings.fabricChannels() > 0 && settings.usesFabric(job.topology().nodeCount());
    }

    /** Opens the rings before the server has admitted this rank, because it may fail. */
    private RingFile openRings(Arena arena) throws IOException {
        Path file = NodeDirectory.of(settings.shmDirectory(), job.jobId(), job.node()).rings();
        try {
            RingFile rings = RingFile.open(file, arena);
            failure.mapped().add(file, rings.sizeInBytes());
            return rings;
        } catch (NoSuchFileException e) {
            throw new IOException("there is no " + file + ": rank and server differ in cooperation.mode or"
                + " cooperation.scope", e);
        }
    }
}

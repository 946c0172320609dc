package org.tributary.server.job;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Shortage;
import org.tributary.wire.BlockingConnection;
import org.tributary.wire.Deadline;
import org.tributary.wire.Frames;
import org.tributary.wire.Membership;
import org.tributary.wire.RefusedException;
import org.tributary.wire.ServerAddress;
import org.tributary.wire.codec.AbortDecoder;
import org.tributary.wire.codec.MessageHeaderDecoder;
import org.tributary.wire.codec.RefusalCode;
import org.tributary.wire.codec.Role;
import org.tributary.wire.codec.ShutdownDecoder;

/**
 * The connection to the server above in the {@link ServerTree}: made by a thread of its own, which tries until that
 * server is there, and then sleeps until something comes. What it hears goes to the event loop, on which the other
 * methods are called.
 */
final class Uplink implements AutoCloseable {
    /** Called on the event loop. */
    interface Listener {
        void opened();

        void aborted(String reason);

        void shutdown();

        /** The connection is no more. */
        void lost(String how);

        /** It could not be made now, because the process may open no more files. */
        void filesAreShort();

        /** It could not be made. */
        void notFound(String problem);
    }

    private static final long FIRST_RETRY_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long LAST_RETRY_NS = TimeUnit.MILLISECONDS.toNanos(250);

    /** Refusals that a server of this job, which has proved itself, repeats however often it is asked. */
    private static final Set<RefusalCode> FINAL = EnumSet.of(RefusalCode.WRONG_NODE, RefusalCode.SETTINGS_DIFFER);

    private final JobEnvironment job;
    private final Settings settings;
    private final Membership membership;
    private final int parent;
    private final Executor loop;
    private final Listener listener;
    private final long timeoutNs;
    private final Deadline deadline;
    private final Thread thread;
    private volatile BlockingConnection connection;
    private volatile boolean closed;
    private volatile String unsent;

    /** Tries for {@code timeoutNs} at most from now on, once it is started. */
    Uplink(JobEnvironment job, Settings settings, Membership membership, int parent, Executor loop, long timeoutNs,
        Listener listener) {
        this.job = job;
        this.settings = settings;
        this.membership = membership;
        this.parent = parent;
        this.loop = loop;
        this.listener = listener;
        this.timeoutNs = timeoutNs;
        this.deadline = Deadline.in(timeoutNs);
        this.thread = Thread.ofPlatform().daemon().name("tributary-uplink-" + job.node()).unstarted(this::run);
    }

    /** Begins to connect. What it hears may come before this returns. */
    void start() {
        thread.start();
    }

    private void run() {
        String problem = "";
        boolean isFinal = false;
        for (long pauseNs = FIRST_RETRY_NS; !closed; pauseNs = Math.min(2 * pauseNs, LAST_RETRY_NS)) {
            try (BlockingConnection made = connect()) {
                connection = made;
                if (closed) {
                    return;
                }
                tell(listener::opened);
                read(made);
                return;
            } catch (RefusedException e) {
                problem = e.getMessage();
                isFinal = FINAL.contains(e.code());
            } catch (IOException | RuntimeException | OutOfMemoryError e) {
                problem = String.valueOf(e.getMessage());
                if (Shortage.of(e) == Shortage.FILES) {
                    tell(listener::filesAreShort);
                }
            }
            if (isFinal || deadline.isOver()) {
                String last = isFinal ? problem : problem + "; tried for " + timeoutNs / 1e9
                    + " s: start all servers, or raise attach.timeout";
                tell(() -> listener.notFound(last));
                return;
            }
            LockSupport.parkNanos(pauseNs);
        }
    }

    /** Servers may start one after the other, and the file that lists them may be completed late. */
    private BlockingConnection connect() throws IOException {
        List<String> addresses = job.servers();
        if (parent >= addresses.size()) {
            throw new IOException("its address is not known");
        }
        long beganNs = System.nanoTime();
        InetSocketAddress address = ServerAddress.parse(addresses.get(parent));
        deadline.passed(System.nanoTime() - beganNs);
        if (address.isUnresolved()) {
            throw new IOException("its address " + address + " cannot be resolved");
        }
        BlockingConnection made = BlockingConnection.connect(address, settings.socketBuffer(),
            deadline.part(settings.connectTimeoutNs()));
        try {
            made.endWhenSilent(settings.connectionSilenceTimeoutNs());
            made.admit(membership, Role.NEIGHBOUR, job.node(), job.node(), parent);
            made.waitForever();
            return made;
        } catch (IOException | RuntimeException e) {
            made.close();
            throw e;
        }
    }

    private void read(BlockingConnection made) {
        MessageHeaderDecoder header = new MessageHeaderDecoder();
        String how;
        try {
            while (true) {
                made.receive();
                header.wrap(made.buffer(), Frames.LENGTH_BYTES);
                if (header.templateId() == AbortDecoder.TEMPLATE_ID) {
                    String reason = new AbortDecoder().wrapAndApplyHeader(made.buffer(), Frames.LENGTH_BYTES, header)
                        .reason();
                    tell(() -> listener.aborted(reason));
                } else if (header.templateId() == ShutdownDecoder.TEMPLATE_ID) {
                    tell(listener::shutdown);
                } else {
                    how = "it sent message " + header.templateId();
                    break;
                }
            }
        } catch (EOFException e) {
            how = "it closed its connection";
        } catch (IOException | RuntimeException | Error e) {
            how = unsent != null ? unsent : e.getMessage() != null ? e.getMessage() : e.toString();
        }
        String why = how;
        tell(() -> listener.lost(why));
    }

    private void tell(Runnable news) {
        try {
            if (!closed) {
                loop.execute(news);
            }
        } catch (RejectedExecutionException e) {
            closed = true; // the server has ended, and nobody is left to be told
        }
    }

    /** Sends a frame; a connection that takes none is about to be lost. */
    void send(ByteBuffer frame) {
        BlockingConnection open = connection;
        try {
            open.sendBeside(frame);
        } catch (IOException e) {
            unsent = "it cannot be told: " + e.getMessage();
            open.close();
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        BlockingConnection open = connection;
        if (open != null) {
            open.close();
        }
    }
}

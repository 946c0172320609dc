package org.tributary.client.attach;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.tributary.client.adapter.ProviderChoice;
import org.tributary.client.adapter.RankAdapter;
import org.tributary.client.error.AttachException;
import org.tributary.client.link.JobFailure;
import org.tributary.client.link.Lifeline;
import org.tributary.client.link.Links;
import org.tributary.client.link.SocketConnector;
import org.tributary.client.node.LocalNode;
import org.tributary.config.HostFacts;
import org.tributary.config.JobEnvironment;
import org.tributary.config.NetworkEncryption;
import org.tributary.config.Settings;
import org.tributary.fabric.FabricChoice;
import org.tributary.fabric.Provider;
import org.tributary.wire.BlockingConnection;
import org.tributary.wire.Deadline;
import org.tributary.wire.LongWait;
import org.tributary.wire.Membership;
import org.tributary.wire.RefusedException;
import org.tributary.wire.codec.RefusalCode;
import org.tributary.wire.record.KernelTls;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.shm.Trace;

/**
 * The attachment of a rank to its node: the control file, the connection to the server, the lifeline. Either all of it
 * is made, or nothing is left: a rank that could not attach counts as not attached, for its server too, and may try
 * again.
 */
public final class Attachment {
    private static final long ATTACH_RETRY_NS = 2_000_000;

    private final JobEnvironment job;
    private final JobFailure failure;
    /** That of the node's server, once the server has been seen there: it listens from the start. */
    private NodeDirectory directory;
    private LocalNode node;
    private Links links;
    /** Null when messages carry all data. */
    private RankAdapter adapter;
    private BlockingConnection line;
    private Lifeline lifeline;

    private Attachment(JobEnvironment job, JobFailure failure) {
        this.job = job;
        this.failure = failure;
    }

    /**
     * Waits for the node's server and connects to it.
     *
     * @throws AttachException when there is no server, or it refuses, unless because the job has failed and the rank is
     *                         to end with it
     */
    public static Attachment open(JobEnvironment job, Settings settings) throws IOException {
        Attachment made = new Attachment(job,
            new JobFailure(settings.jobOnFailure(), job.rank(), job.supervised()));
        try {
            made.connect(settings);
            return made;
        } catch (IOException | RuntimeException | Error e) {
            try {
                made.endWithTheJob(e);
            } finally { // also where memory is too short for that
                made.undo();
            }
            throw e;
        }
    }

    /** Ends this process as those of ranks that have attached in time, if its server has ended, or is about to. */
    private void endWithTheJob(Throwable problem) {
        if (problem instanceof RefusedException refused && refused.code() == RefusalCode.ENDING) {
            failure.fail(problem.getMessage());
        } else if (directory != null && isServerGone()) {
            Lifeline.serverGone(failure, directory, job.node());
        }
    }

    /** Whether the server that was seen is no more. */
    private boolean isServerGone() {
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            probe.configureBlocking(false);
            probe.connect(UnixDomainSocketAddress.of(directory.socket()));
            return false;
        } catch (ConnectException e) {
            return true;
        } catch (IOException e) {
            return !Files.exists(directory.socket());
        }
    }

    private void connect(Settings settings) throws IOException {
        String problem = settings.networkEncryption() == NetworkEncryption.KTLS ? KernelTls.problem() : null;
        if (problem != null) {
            throw new AttachException(problem, null);
        }
        NodeDirectory awaited = NodeDirectory.of(settings.shmDirectory(), job.jobId(), job.node());
        awaitServer(awaited, settings, job);
        directory = awaited;
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(directory.socket());
        node = new LocalNode(directory, job, settings, failure);
        Optional<Provider> provider = ProviderChoice.of(job, settings);
        Membership membership = Membership.of(job, settings, FabricChoice.identity(provider, HostFacts.name()));
        SocketConnector connector = new SocketConnector(job, settings, membership, failure);
        links = new Links(job, settings, failure, connector, node.waits());
        if (provider.isPresent()) {
            adapter = new RankAdapter(job, settings, links, failure);
            links.setAdapter(adapter);
            node.whileBlocked(links::answerServers);
            failure.beforeExit(adapter::removeFiles);
        }
        failure.onFailure(() -> {
            links.waitLoop().wakeUp();
            node.wakeOwnThreads();
        });
        links.openLocal(address);
        line = connector.lifeline(address);
        lifeline = new Lifeline(line, failure, directory, job.rank(), job.node());
        if (job.trace().isPresent()) {
            node.waits().record(Trace.create(job.trace().get(), job.jobId(), job.rank(), job.node(),
                job.topology().rankCount()));
        }
    }

    private static void awaitServer(NodeDirectory directory, Settings settings, JobEnvironment job)
        throws IOException {
        Deadline deadline = Deadline.in(settings.attachTimeoutNs());
        LongWait wait = new LongWait(System.nanoTime());
        while (!Files.exists(directory.socket())) {
            if (wait.takeNotice(System.nanoTime())) {
                System.err.println("tributary: rank " + job.rank() + " still waits for the communication server of"
                    + " node " + job.node() + " in " + directory.path() + " (" + wait.seconds(System.nanoTime())
                    + " s of " + TimeUnit.NANOSECONDS.toSeconds(settings.attachTimeoutNs()) + " s)");
            }
            if (deadline.isOver()) {
                throw new AttachException("no communication server for " + directory.path() + " within "
                    + TimeUnit.NANOSECONDS.toSeconds(settings.attachTimeoutNs())
                    + " s: start one on this node with `tributary server`, or the job with `tributary run`"
                    + placedElsewhere(directory, job.rank()), null);
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new AttachException("interrupted while it waits for the communication server for "
                    + directory.path(), null);
            }
            LockSupport.parkNanos(ATTACH_RETRY_NS);
        }
        if (!directory.isOwn()) {
            throw new IOException(directory.path() + " is not of a server of this user: another user has made it,"
                + " or can write to it; remove it, or choose another shm.directory");
        }
    }

    /** A rank finds another node's server when its launcher has not placed it where the layout says. */
    private static String placedElsewhere(NodeDirectory directory, int rank) {
        List<Integer> here = directory.othersHere();
        return here.isEmpty() ? "" : ". The server of node " + here.getFirst() + " runs here:"
            + " TRIBUTARY_LAYOUT has to place rank " + rank + " as its launcher does";
    }

    /** Takes everything back after a failure: the server goes on expecting this rank. */
    public void undo() {
        if (lifeline != null) {
            lifeline.expectEnd();
        }
        try {
            if (links != null) {
                links.farewell().withdraw();
            }
        } finally {
            // Only now: a lifeline that breaks before the server knows is the death of the rank.
            if (lifeline != null) {
                lifeline.close();
            } else if (line != null) {
                line.close();
            }
            if (node != null) {
                if (node.trace() != null) {
                    node.trace().discard();
                }
                node.close();
            }
        }
    }

    public JobFailure failure() {
        return failure;
    }

    public LocalNode node() {
        return node;
    }

    public Links links() {
        return links;
    }

    /** The adapter that moves large contiguous data; null when messages do. */
    public RankAdapter adapter() {
        return adapter;
    }

    Lifeline lifeline() {
        return lifeline;
    }
}

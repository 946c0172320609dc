package org.tributary.launcher.inquiry;

import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;
import org.tributary.config.HostFacts;
import org.tributary.launcher.job.JobFiles;
import org.tributary.launcher.link.AcceptLoop;
import org.tributary.launcher.link.Answer;
import org.tributary.launcher.link.Codec;
import org.tributary.launcher.link.Frame;
import org.tributary.launcher.link.Inquiry;
import org.tributary.wire.shm.LockedDirectory;

/**
 * Where a launcher answers processes of its own user about its job on several hosts, on threads of its own: an inquiry,
 * the answers to it, what is wrong with the others, and so on until the other side hangs up.
 */
public final class StatusSocket implements AutoCloseable {
    private static final int MOST_CONNECTIONS = 4;
    private static final long MOST_INQUIRY_NS = TimeUnit.MINUTES.toNanos(1);
    /** Beside the time for the answers. */
    private static final long TO_READ_NS = TimeUnit.SECONDS.toNanos(5);
    /** After which a connection is closed, also one that does not take its answer. */
    private static final Duration CONNECTION = Duration.ofMinutes(2);

    private final LockedDirectory directory;
    private final ServerSocketChannel server;
    private final Inquiry.Asking agents;
    private final Semaphore free = new Semaphore(MOST_CONNECTIONS);

    private StatusSocket(LockedDirectory directory, ServerSocketChannel server, Inquiry.Asking agents) {
        this.directory = directory;
        this.server = server;
        this.agents = agents;
    }

    /** Answers from now on. */
    public static StatusSocket open(String jobId, Inquiry.Asking agents) throws IOException {
        LockedDirectory directory = JobFiles.createOfLauncher(jobId);
        try {
            ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                Path socket = JobFiles.statusSocket(directory);
                server.bind(UnixDomainSocketAddress.of(socket));
                Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
                StatusSocket opened = new StatusSocket(directory, server, agents);
                Thread.ofVirtual().name("status").start(opened::accept);
                return opened;
            } catch (IOException | RuntimeException e) {
                server.close();
                throw e;
            }
        } catch (IOException | RuntimeException e) {
            directory.close();
            throw e;
        }
    }

    Path path() {
        return JobFiles.statusSocket(directory);
    }

    private void accept() {
        AcceptLoop.run(new AcceptLoop.Source<SocketChannel>() {
            @Override
            public SocketChannel accept() throws IOException {
                return server.accept();
            }

            @Override
            public boolean isOpen() {
                return server.isOpen();
            }
        }, this::take);
    }

    private void take(SocketChannel requester) throws IOException {
        if (!isOwn(requester) || !free.tryAcquire()) {
            requester.close();
            return;
        }
        Thread answering;
        try {
            answering = Thread.ofVirtual().start(() -> serve(requester));
        } catch (Throwable e) {
            free.release();
            requester.close();
            throw e;
        }
        Thread.ofVirtual().start(() -> cutOff(requester, answering));
    }

    private static boolean isOwn(SocketChannel requester) throws IOException {
        return requester.getOption(ExtendedSocketOptions.SO_PEERCRED).user().equals(HostFacts.owner());
    }

    private static void cutOff(SocketChannel requester, Thread answering) {
        try (requester) {
            boolean unused = answering.join(CONNECTION);
        } catch (IOException e) {
            // As good as closed.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A stopped process does not read its answers, and others may wait behind it. */
    private static void cutOffAfter(long ns, SocketChannel requester) {
        try {
            TimeUnit.NANOSECONDS.sleep(ns);
            requester.close();
        } catch (IOException e) {
            // As good as closed.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // it has read all
        }
    }

    private void serve(SocketChannel requester) {
        try (requester) {
            DataInputStream in = new DataInputStream(Channels.newInputStream(requester));
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(requester)));
            for (Frame frame = Frame.read(in); frame != null; frame = Frame.read(in)) {
                Inquiry asked = Codec.inquiry(frame);
                long limitNs = Math.clamp(asked.limitNs(), 0, MOST_INQUIRY_NS);
                Thread guard = Thread.ofVirtual().start(() -> cutOffAfter(limitNs + TO_READ_NS, requester));
                List<String> problems = agents.ask(new Inquiry(asked.question(), asked.text(), asked.nodes(), limitNs),
                    (node, text) -> Codec.encode(new Answer(0, true, text), node).write(out));
                Codec.texts(problems).write(out);
                out.flush();
                guard.interrupt();
            }
        } catch (IOException | IllegalArgumentException e) {
            // It hangs up, or does not speak as this release does.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            free.release();
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        directory.close();
    }
}

package org.tributary.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.config.JobEnvironment;
import org.tributary.wire.BlockingConnection;
import org.tributary.wire.Frames;
import org.tributary.wire.ServerAddress;
import org.tributary.wire.codec.AbortEncoder;
import org.tributary.wire.codec.MessageHeaderEncoder;
import org.tributary.wire.codec.NodeLeftEncoder;
import org.tributary.wire.codec.Role;
import org.tributary.wire.codec.ShutdownEncoder;

/**
 * Tells other servers the few things that they must hear whatever else is going on: one connection, one message. Each
 * is told from a virtual thread of its own, so that one that does not answer delays nobody. Thread-safe.
 */
final class PeerNotifier {
    private interface Message {
        int encode(UnsafeBuffer buffer);
    }

    private final JobEnvironment job;
    private final ServerLog log;
    private final long timeoutNs;

    PeerNotifier(JobEnvironment job, ServerLog log, long timeoutNs) {
        this.job = job;
        this.log = log;
        this.timeoutNs = timeoutNs;
    }

    /** Every rank of this node has left. */
    void nodeLeft(Consumer<String> onFailure) {
        tell(0, "every rank of node " + job.node() + " has left", buffer -> {
            new NodeLeftEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES, new MessageHeaderEncoder())
                .node(job.node());
            return NodeLeftEncoder.BLOCK_LENGTH;
        }).thenAccept(failure -> {
            if (failure != null) {
                onFailure.accept(failure);
            }
        });
    }

    /** Every rank of the job has left. Completes when all have been told or cannot be. */
    CompletableFuture<Void> shutdown() {
        return tellAll("the job is over", buffer -> {
            new ShutdownEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES, new MessageHeaderEncoder());
            return ShutdownEncoder.BLOCK_LENGTH;
        });
    }

    /** The job ends with an error. Completes when all have been told or cannot be. */
    CompletableFuture<Void> abort(String reason) {
        byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        return tellAll("the job is aborted", buffer -> {
            AbortEncoder abort = new AbortEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES,
                new MessageHeaderEncoder());
            abort.rank(-1).node(job.node()).putReason(text, 0, Math.min(text.length, Frames.MAX_FIXED_BYTES / 2));
            return abort.encodedLength();
        });
    }

    private CompletableFuture<Void> tellAll(String what, Message message) {
        List<CompletableFuture<String>> all = new ArrayList<>();
        for (int peer = 0; peer < job.topology().nodeCount(); peer++) {
            if (peer != job.node()) {
                all.add(tell(peer, what, message));
            }
        }
        return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
    }

    /** Completes with null, or with why the peer could not be told. */
    private CompletableFuture<String> tell(int peer, String what, Message message) {
        CompletableFuture<String> result = new CompletableFuture<>();
        Thread.ofVirtual().name("tell-node-" + peer).start(() -> {
            String failure = null;
            try {
                send(peer, message);
            } catch (IOException | RuntimeException e) {
                failure = String.valueOf(e.getMessage());
                log.peerUnreachable(peer, what, e);
            } finally {
                result.complete(failure);
            }
        });
        return result;
    }

    private void send(int peer, Message message) throws IOException {
        List<String> addresses = job.servers();
        if (peer >= addresses.size()) {
            throw new IOException("the address of its server is not known");
        }
        InetSocketAddress address = ServerAddress.parse(addresses.get(peer));
        try (BlockingConnection connection = BlockingConnection.connect(address, timeoutNs)) {
            connection.admit(job.secret(), job.jobId(), Role.SERVER, job.node(), job.node());
            connection.send(message.encode(connection.buffer()));
        }
    }
}

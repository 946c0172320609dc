package org.tributary.server.job;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.wire.AcceptingHandshake;
import org.tributary.wire.Frames;
import org.tributary.wire.Handshake;
import org.tributary.wire.Membership;
import org.tributary.wire.codec.AbortDecoder;
import org.tributary.wire.codec.JoinedDecoder;
import org.tributary.wire.codec.MessageHeaderDecoder;
import org.tributary.wire.codec.NodeLeftDecoder;
import org.tributary.wire.codec.Role;
import org.tributary.wire.codec.ShutdownDecoder;

/**
 * The part of a server that is its place in the {@link ServerTree}, on real sockets: no ranks, no memory, nothing else.
 * Thousands of them fit into one process, beside servers that are whole. Thread-safe.
 */
final class StubServer implements ServerTree.Messages, Uplink.Listener, AutoCloseable {
    /** What is said at the end of a job in which all ranks have left. */
    static final String ALL_LEFT = "every rank has left";
    private static final SecureRandom RANDOM = new SecureRandom();

    private final int node;
    private final ServerSocketChannel listener;
    private final Map<Integer, SocketChannel> below = new HashMap<>();
    private final CompletableFuture<String> end = new CompletableFuture<>();
    private ServerTree tree;
    private Membership membership;
    private Uplink uplink;
    private int sent;
    private boolean closed;

    StubServer(int node) throws IOException {
        this.node = node;
        this.listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    InetSocketAddress address() throws IOException {
        return (InetSocketAddress) listener.getLocalAddress();
    }

    /** Takes its place in the job's tree. */
    synchronized void join(JobEnvironment job, Settings settings) {
        membership = Membership.of(job, settings);
        tree = new ServerTree(node, job.topology().nodeCount(), this);
        Thread.ofVirtual().start(this::acceptAll);
        if (tree.parent() >= 0) {
            uplink = new Uplink(job, settings, membership, tree.parent(), this::one, settings.attachTimeoutNs(), this);
            uplink.start();
        }
    }

    private synchronized void one(Runnable news) {
        if (!closed) {
            news.run();
        }
    }

    /** Why the job has ended, as far as this server has heard. */
    CompletableFuture<String> end() {
        return end;
    }

    synchronized int awaited() {
        return tree.awaited().length;
    }

    /** Messages that it has sent to neighbours. */
    synchronized int sent() {
        return sent;
    }

    /** Its only rank has left. */
    synchronized void ranksLeft() {
        tree.ranksLeft();
        endIfOver();
    }

    private void endIfOver() {
        if (tree.isOver()) {
            end.complete(ALL_LEFT);
        }
    }

    private void abort(String reason, int from) {
        tree.abort(reason, from);
        end.complete(reason);
    }

    private void acceptAll() {
        try {
            while (true) {
                SocketChannel from = listener.accept();
                Thread.ofVirtual().start(() -> serve(from));
            }
        } catch (IOException e) {
            one(() -> abort("node " + node + " cannot listen: " + e, -1));
        }
    }

    private void serve(SocketChannel from) {
        int child = -1;
        try (from) {
            child = admit(from);
            while (true) {
                UnsafeBuffer frame = receive(from);
                int sender = child;
                one(() -> heard(frame, sender));
            }
        } catch (IOException e) {
            lost(child, "its connection to node " + node + " closed");
        }
    }

    private int admit(SocketChannel from) throws IOException {
        AcceptingHandshake handshake = new AcceptingHandshake(membership, node, Handshake.nonce(RANDOM));
        while (!handshake.isProved()) {
            UnsafeBuffer frame = receive(from);
            send(from, ByteBuffer.wrap(handshake.receive(frame, 0, frame.capacity())));
            if (handshake.refusal() != null) {
                throw new IOException(handshake.refusal().detail());
            }
        }
        send(from, ByteBuffer.wrap(handshake.decide(new AcceptingHandshake.Gate() {
            @Override
            public Handshake.Refusal problemWith(Handshake.Peer peer) {
                return null;
            }

            @Override
            public int maxPayload(Role role) {
                return Frames.MAX_FIXED_BYTES;
            }
        })));
        if (template(receive(from)) != JoinedDecoder.TEMPLATE_ID) {
            throw new IOException("no Joined");
        }
        int child = handshake.peer().node();
        one(() -> {
            below.put(child, from);
            tree.opened(child);
        });
        return child;
    }

    private static int template(UnsafeBuffer frame) {
        return new MessageHeaderDecoder().wrap(frame, Frames.LENGTH_BYTES).templateId();
    }

    private void heard(UnsafeBuffer frame, int from) {
        switch (template(frame)) {
            case NodeLeftDecoder.TEMPLATE_ID -> tree.leftBelow(from);
            case ShutdownDecoder.TEMPLATE_ID -> tree.shutdown(from);
            case AbortDecoder.TEMPLATE_ID -> abort(new AbortDecoder().wrapAndApplyHeader(frame, Frames.LENGTH_BYTES,
                new MessageHeaderDecoder()).reason(), from);
            default -> abort("message " + template(frame) + " of node " + from, -1);
        }
        endIfOver();
    }

    private void lost(int neighbour, String how) {
        one(() -> {
            if (neighbour >= 0 && tree.closed(neighbour)) {
                abort("the communication server of node " + neighbour + " is gone: " + how, -1);
            }
        });
    }

    private static UnsafeBuffer receive(SocketChannel from) throws IOException {
        ByteBuffer length = ByteBuffer.allocate(Frames.LENGTH_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        fill(from, length);
        ByteBuffer frame = ByteBuffer.allocate(length.getInt(0)).put(length.flip());
        fill(from, frame);
        return new UnsafeBuffer(frame);
    }

    private static void fill(SocketChannel from, ByteBuffer target) throws IOException {
        while (target.hasRemaining()) {
            if (from.read(target) < 0) {
                throw new EOFException();
            }
        }
    }

    private static void send(SocketChannel to, ByteBuffer frame) throws IOException {
        while (frame.hasRemaining()) {
            to.write(frame);
        }
    }

    @Override
    public void subtreeLeft(int parent) {
        tell(parent, PeerMessages.subtreeLeft(node));
    }

    @Override
    public void shutdown(int neighbour) {
        tell(neighbour, PeerMessages.shutdown());
    }

    @Override
    public void abort(int neighbour, String reason) {
        tell(neighbour, PeerMessages.abort(node, reason));
    }

    private void tell(int neighbour, ByteBuffer frame) {
        sent++;
        if (neighbour == tree.parent()) {
            uplink.send(frame);
            return;
        }
        try {
            send(below.get(neighbour), frame);
        } catch (IOException e) {
            sent--; // it is dying, which its connection tells
        }
    }

    @Override
    public void opened() {
        tree.opened(tree.parent());
    }

    @Override
    public void aborted(String reason) {
        abort(reason, tree.parent());
    }

    @Override
    public void shutdown() {
        tree.shutdown(tree.parent());
        endIfOver();
    }

    @Override
    public void lost(String how) {
        lost(tree.parent(), how);
    }

    @Override
    public void filesAreShort() {
        // The next attempt may find one.
    }

    @Override
    public void notFound(String problem) {
        abort("node " + node + " has not found that of node " + tree.parent() + ": " + problem, -1);
    }

    /** As when its process is killed: nobody is told. */
    @Override
    public void close() throws IOException {
        synchronized (this) {
            closed = true;
        }
        if (uplink != null) {
            uplink.close();
        }
        listener.close();
        for (SocketChannel each : below.values()) {
            each.close();
        }
    }
}

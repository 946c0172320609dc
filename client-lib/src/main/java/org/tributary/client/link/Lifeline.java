package org.tributary.client.link;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.wire.BlockingConnection;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AbortDecoder;
import org.tributary.wire.codec.AbortEncoder;
import org.tributary.wire.codec.GoodbyeEncoder;
import org.tributary.wire.codec.MessageHeaderDecoder;
import org.tributary.wire.codec.MessageHeaderEncoder;
import org.tributary.wire.shm.NodeDirectory;

/**
 * The connection on which a rank hears that the job has failed, even while it computes, and on which its server hears
 * that the rank has died: the kernel closes it whatever kills the process. A daemon thread sleeps on it and uses no
 * processor time.
 */
public final class Lifeline implements AutoCloseable {
    private final BlockingConnection connection;
    private final JobFailure failure;
    private final NodeDirectory directory;
    private final String server;
    private final String deaf;
    private final int rank;
    private final int node;
    private final Thread watcher;
    private volatile boolean closed;

    public Lifeline(BlockingConnection connection, JobFailure failure, NodeDirectory directory, int rank, int node) {
        this.connection = connection;
        this.failure = failure;
        this.directory = directory;
        this.rank = rank;
        this.node = node;
        failure.tellThrough(this::abort);
        this.server = nameOf(node);
        this.deaf = "the job has failed, or " + server + " is gone; rank " + rank + " could not hear why: does it lack"
            + " memory (-Xmx)?";
        this.watcher = new Thread(this::watch, "tributary-lifeline-" + rank);
        watcher.setDaemon(true);
        watcher.start();
    }

    /** The rank's own server is no more; a job that a script has started has nobody else to remove what it leaves. */
    public static void serverGone(JobFailure failure, NodeDirectory directory, int node) {
        if (failure.endsProcess()) {
            failure.holdEnd(directory::removeWithServer);
            failure.fail(nameOf(node) + " is gone");
        } else {
            failure.fail(nameOf(node) + " is gone"); // those who wait are not to wait for that
            directory.removeWithServer();
        }
    }

    private static String nameOf(int node) {
        return "the communication server of node " + node;
    }

    private void watch() {
        try {
            listen();
        } catch (Throwable e) {
            if (!closed) {
                failure.failAtOnce(deaf);
            }
        }
    }

    private void listen() {
        try {
            MessageHeaderDecoder header = new MessageHeaderDecoder();
            connection.waitForever();
            connection.receive();
            header.wrap(connection.buffer(), Frames.LENGTH_BYTES);
            if (header.templateId() == AbortDecoder.TEMPLATE_ID) {
                failure.fail(new AbortDecoder().wrapAndApplyHeader(connection.buffer(), Frames.LENGTH_BYTES, header)
                    .reason());
            } else {
                failure.fail(server + " sent message " + header.templateId() + " on the lifeline");
            }
        } catch (IOException | RuntimeException e) {
            if (!closed) {
                serverGone(failure, directory, node);
            }
        }
    }

    /** Tells the server that the job has failed. A server that is gone, too, has nobody to tell. */
    private void abort(String reason) {
        byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(text.length, Frames.MAX_REASON_BYTES);
        UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(Frames.MAX_FIXED_BYTES));
        AbortEncoder abort = new AbortEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES,
            new MessageHeaderEncoder());
        abort.rank(rank).node(node).putReason(text, 0, length);
        send(buffer, abort.encodedLength());
    }

    private void send(UnsafeBuffer buffer, int encodedLength) {
        int frame = Frames.HEADER_BYTES + encodedLength;
        buffer.putInt(0, frame);
        try {
            connection.sendBeside(buffer.byteBuffer().limit(frame));
        } catch (IOException e) {
            failure.hasFailed(); // or is about to: the lifeline has an end, which the thread that reads it sees
        }
    }

    /** Tells the server that the rank leaves: its goodbye, behind requests, may be read when the process has ended. */
    public void announceGoodbye() {
        UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(Frames.MAX_FIXED_BYTES));
        GoodbyeEncoder goodbye = new GoodbyeEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES,
            new MessageHeaderEncoder());
        send(buffer, goodbye.rank(rank).encodedLength());
    }

    /** The rank is about to leave: that the server ends from now on is no failure. */
    public void expectEnd() {
        closed = true;
    }

    /** Whether it has ended, with the server or the job. */
    public boolean hasEnded() {
        return !watcher.isAlive();
    }

    @Override
    public void close() {
        closed = true;
        connection.close();
    }
}

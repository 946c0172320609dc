package org.tributary.client.link;

import java.io.IOException;
import org.tributary.wire.BlockingConnection;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AbortDecoder;
import org.tributary.wire.codec.MessageHeaderDecoder;

/**
 * The connection on which a rank hears that the job has failed, even while it computes, and on which its server hears
 * that the rank has died: the kernel closes it whatever kills the process. A daemon thread sleeps on it and uses no
 * processor time.
 */
public final class Lifeline implements AutoCloseable {
    private final BlockingConnection connection;
    private final JobFailure failure;
    private final String server;
    private volatile boolean closed;

    /** Watches an admitted connection. */
    public Lifeline(BlockingConnection connection, JobFailure failure, int rank, int node) {
        this.connection = connection;
        this.failure = failure;
        this.server = "the communication server of node " + node;
        Thread thread = new Thread(this::watch, "tributary-lifeline-" + rank);
        thread.setDaemon(true);
        thread.start();
    }

    private void watch() {
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
                failure.fail(server + " is gone");
            }
        }
    }

    /** The rank is about to leave: that the server ends from now on is no failure. */
    public void leaving() {
        closed = true;
    }

    @Override
    public void close() {
        closed = true;
        connection.close();
    }
}

package org.tributary.server.connection;

import org.tributary.fabric.channel.Arrival;
import org.tributary.fabric.channel.BlockReader;
import org.tributary.server.adapter.NodeAdapter;
import org.tributary.server.adapter.RequestBlock;
import org.tributary.server.frame.FrameReader;
import org.tributary.server.frame.MalformedFrameException;
import org.tributary.server.relay.Source;
import org.tributary.wire.shm.RequestRing;
import org.tributary.wire.shm.RequestStream;

/**
 * What carries the requests of one connection: the connection itself, the rank's ring or its block. A rank announces
 * each change in a request; {@link ConnectionHandler} makes it once that request has been dealt with. Owned by the
 * event loop.
 */
final class RequestCarrier implements RequestBlocks.Owner {
    private enum Kind { CONNECTION, RING, BLOCK }

    /** In so many parts the credit for a whole block is told. */
    private static final int CREDITS = 4;

    private final Connections connections;
    private final Source source;
    /** What carries the next request. */
    private Kind next = Kind.CONNECTION;
    private RequestRing.Reader ring;
    private BlockReader block;
    private FrameReader wakes;
    private long credited;

    RequestCarrier(Connections connections, Source source) {
        this.connections = connections;
        this.source = source;
    }

    /** The next request comes through the rank's ring. */
    void useRing() {
        if (connections.rings() == null) {
            throw new MalformedFrameException("rank " + source.rank()
                + " uses a ring, and there are none: settings differ");
        }
        next = Kind.RING;
    }

    /** The rank sends so many messages a second, and asks for a block. */
    void askChannel(int rate) {
        if (connections.blocks() != null) {
            connections.blocks().ask(this, rate);
        }
    }

    @Override
    public void granted(RequestBlock granted, NodeAdapter of) {
        source.replies().channel(granted.key(), granted.number(), of.arrival() == Arrival.COMPLETION,
            granted.reader().shape().design(), of.provider(), of.address());
        source.replies().flush();
    }

    @Override
    public void wanted() {
        source.replies().channelWanted();
        source.replies().flush();
    }

    /** The next request comes through the rank's block. */
    void useChannel() {
        if (connections.blocks() == null || next != Kind.CONNECTION) {
            throw hasNoChannel("uses");
        }
        next = Kind.BLOCK;
    }

    /** The next request does not come through the rank's block. */
    void leaveChannel() {
        if (connections.blocks() == null || next == Kind.RING) {
            throw hasNoChannel("leaves");
        }
        if (next == Kind.CONNECTION) {
            connections.blocks().close(this, true);
        }
        next = Kind.CONNECTION;
    }

    private MalformedFrameException hasNoChannel(String what) {
        return new MalformedFrameException("rank " + source.rank() + " " + what + " a channel that it does not have");
    }

    /** The ring or the block that the requests come through; null when they come on the connection. */
    RequestStream memory() {
        return ring != null ? ring : block;
    }

    boolean isRing() {
        return ring != null;
    }

    boolean isBlock() {
        return block != null;
    }

    /** Whether the rank has announced memory that is not read yet. */
    boolean isMemoryDue() {
        return memory() == null && next != Kind.CONNECTION;
    }

    /** Whether nothing may follow on the connection. */
    boolean isBlockDue() {
        return block == null && next == Kind.BLOCK;
    }

    /** Has {@code reader} read the memory that is due. */
    void beginMemory(RequestReader reader) {
        if (next == Kind.RING) {
            wakes = new FrameReader(new WakeReceiver(this::woken));
            ring = connections.rings().open(reader, localIndex());
            return;
        }
        RequestBlock used = connections.blocks().use(this, reader);
        if (used == null) {
            throw hasNoChannel("uses");
        }
        block = used.reader();
        credited = 0;
    }

    private int localIndex() {
        return connections.memory().localIndex(source.rank());
    }

    /** Reads what comes on the connection of a rank with a ring: it wakes the loop for all ranks. */
    FrameReader wakes() {
        return wakes;
    }

    private void woken() {
        ring.repeat();
        connections.rings().woken();
    }

    /** So many bytes have been taken from memory: tells the rank its credit, and ends a block that it leaves. */
    void taken(int bytes) {
        if (block == null) {
            connections.rings().taken(bytes);
            return;
        }
        connections.blocks().taken(bytes);
        if (next != Kind.BLOCK) {
            endBlock();
        } else if (block.taken() - credited >= block.shape().blockBytes() / CREDITS) {
            credited = block.taken();
            source.replies().credit(credited);
        }
    }

    /** The rank's last request in the block has been read: the rank waits to hear that. */
    private void endBlock() {
        source.replies().credit(block.taken());
        block = null;
        connections.blocks().close(this, true);
    }

    /** Has memory read again, once what is at hand has been dealt with. */
    void readSoon() {
        if (ring != null) {
            connections.rings().readSoon();
        } else {
            connections.blocks().readSoon();
        }
    }

    /** The connection has closed. */
    void close(RequestReader reader) {
        if (ring != null) {
            connections.rings().close(reader, localIndex());
        }
        if (connections.blocks() != null) {
            connections.blocks().close(this, false);
        }
    }
}

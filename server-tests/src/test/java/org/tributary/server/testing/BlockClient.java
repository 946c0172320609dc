package org.tributary.server.testing;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.tributary.config.ChannelDesign;
import org.tributary.fabric.CompletionHandler;
import org.tributary.fabric.Domain;
import org.tributary.fabric.Endpoint;
import org.tributary.fabric.FabricException;
import org.tributary.fabric.FabricKind;
import org.tributary.fabric.Region;
import org.tributary.fabric.RegionKey;
import org.tributary.fabric.RemoteRegion;
import org.tributary.fabric.channel.Arrival;
import org.tributary.fabric.channel.BlockWriter;
import org.tributary.fabric.channel.BlockWriters;
import org.tributary.fabric.channel.ChannelShape;
import org.tributary.wire.codec.ChannelDecoder;
import org.tributary.wire.codec.ChannelWantedDecoder;
import org.tributary.wire.codec.CreditDecoder;

/**
 * A rank of another node that writes requests to a block of the server, well-formed or not. Whatever it waits for has a
 * deadline. Of one thread.
 */
public final class BlockClient implements CompletionHandler, AutoCloseable {
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(200);
    private static final int CONTEXT = 1;

    private final Arena arena = Arena.ofConfined();
    private final RawClient socket;
    private final FabricKind kind;
    private final Domain domain;
    private final Endpoint endpoint;
    private final BlockWriters writers;
    private BlockWriter writer;
    private RemoteRegion region;
    private int own;
    private boolean isWanted;
    private boolean isOver;
    private FabricException failure;

    /** Of a connection that has been admitted. */
    public BlockClient(RawClient socket, FabricKind kind) {
        this.socket = socket;
        this.kind = kind;
        this.domain = Domain.open(AdapterClient.provider(kind));
        this.endpoint = domain.open();
        this.writers = new BlockWriters(endpoint, CONTEXT + 1);
    }

    /** The connection. */
    public RawClient socket() {
        return socket;
    }

    /** Asks for a block and takes the answer. */
    public BlockClient ask(int rate) throws IOException {
        socket.send(Requests.askChannel(rate));
        open(socket.receive().channel());
        return this;
    }

    /** The server has told of a block. */
    public void open(ChannelDecoder told) {
        RegionKey key = new RegionKey(told.start(), told.key(), told.bytes());
        boolean byCompletion = told.byCompletion() != 0;
        ChannelShape shape = ChannelShape.of(ChannelDesign.values()[told.design()]);
        int number = told.number();
        told.provider();
        byte[] address = new byte[told.addressLength()];
        told.getAddress(address, 0, address.length);
        region = endpoint.peer(address).region(key);
        own = writers.open(region, number, why -> failure = why);
        writer = writers.writer(own, shape, byCompletion ? Arrival.COMPLETION : Arrival.FLAG);
    }

    /** What is sent from now on goes to the block. */
    public BlockClient use() throws IOException {
        socket.send(Requests.useChannel());
        return this;
    }

    /** What is sent from now on goes over the connection; waits until the server has taken everything. */
    public void leave() throws IOException {
        send(Requests.leaveChannel());
        while (!writer.isAllTaken()) {
            take(socket.receive());
        }
        writers.close(own);
    }

    /** Writes everything. */
    public BlockClient send(byte... bytes) throws IOException {
        MemorySegment source = MemorySegment.ofArray(bytes);
        long deadlineNs = System.nanoTime() + DEADLINE_NS;
        for (int sent = 0; sent < bytes.length; ) {
            int count = writer.write(source, sent, bytes.length - sent);
            sent += count;
            progress();
            if (count == 0 && !writers.areBusy()) {
                take(socket.receive());
            }
            assertTrue(System.nanoTime() < deadlineNs, "no room");
        }
        while (writers.areBusy() && failure == null) {
            progress();
            assertTrue(System.nanoTime() < deadlineNs, "not written");
        }
        return this;
    }

    private void progress() {
        endpoint.poll(this);
        writers.beginWaiting();
    }

    /** Credit and the like are dealt with; null then. */
    private Reply take(Reply reply) {
        if (reply.template() == CreditDecoder.TEMPLATE_ID) {
            assertTrue(writer.credit(reply.credit()), "credit that cannot be");
            return null;
        }
        if (reply.template() == ChannelWantedDecoder.TEMPLATE_ID) {
            isWanted = true;
            return null;
        }
        return reply;
    }

    /** Whether the server wants its block. */
    public boolean isWanted() {
        return isWanted;
    }

    /** The next answer to a request. */
    public Reply receive() throws IOException {
        while (true) {
            Reply reply = socket.receive();
            assertTrue(reply != null, "the server closed the connection");
            Reply answer = take(reply);
            if (answer != null) {
                return answer;
            }
        }
    }

    /** Writes a request and receives its answer. */
    public Reply ask(byte... request) throws IOException {
        send(request);
        return receive();
    }

    /** Writes bytes anywhere into the block's region; null when they are there, otherwise why not. */
    public FabricException forge(long offset, byte... bytes) {
        Region source = endpoint.register(arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes));
        long deadlineNs = System.nanoTime() + DEADLINE_NS;
        isOver = false;
        failure = null;
        boolean begun = false;
        while (!isOver) {
            try {
                begun = begun || region.writeDelivered(offset, source, 0, bytes.length, CONTEXT);
                endpoint.poll(this);
            } catch (FabricException e) {
                return e;
            }
            assertTrue(System.nanoTime() < deadlineNs, "not written");
            LockSupport.parkNanos(1);
        }
        return failure;
    }

    /** Whose adapter it is. */
    public FabricKind kind() {
        return kind;
    }

    @Override
    public void completed(int context) {
        if (context == CONTEXT) {
            isOver = true;
        } else {
            writers.completed(context);
        }
    }

    @Override
    public void arrived(int data) {
        throw new AssertionError("nobody writes here");
    }

    @Override
    public void failed(int context, FabricException reason) {
        failure = reason;
        isOver = true;
        if (context > CONTEXT) {
            writers.failed(context, reason);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
        domain.close();
        writers.close();
        arena.close();
    }
}

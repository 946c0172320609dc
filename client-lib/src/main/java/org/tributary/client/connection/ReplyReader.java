package org.tributary.client.connection;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.config.ChannelDesign;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AckDecoder;
import org.tributary.wire.codec.ChannelDecoder;
import org.tributary.wire.codec.ChannelWantedDecoder;
import org.tributary.wire.codec.CreditDecoder;
import org.tributary.wire.codec.DataDecoder;
import org.tributary.wire.codec.DoneDecoder;
import org.tributary.wire.codec.ErrorDecoder;
import org.tributary.wire.codec.RegionDecoder;
import org.tributary.wire.codec.Templates;
import org.tributary.wire.codec.ValueDecoder;

/**
 * Reads one link's answers: small ones through a buffer, large contiguous data directly to where it belongs. Never
 * blocks. Guarded by the lock of the links.
 */
final class ReplyReader {
    private static final ChannelDesign[] DESIGNS = ChannelDesign.values();
    /** Receiver of answers, in the order in which they come. */
    interface Receiver {
        void ack(long executed) throws IOException;

        void value(long requestId, long value) throws IOException;

        void error(ErrorDecoder error) throws IOException;

        void region(long requestId, RegionFacts facts) throws IOException;

        /** Requests are to take their route from now on. */
        void takeRoute();

        /** The server gives a channel of the network adapter. */
        void channel(ChannelFacts facts) throws IOException;

        /** The server wants its channel back. */
        void channelWanted() throws IOException;

        /** The server has taken so much of what came by the channel. */
        void credit(long freed) throws IOException;

        /** Where the data of that answer goes. */
        PendingReply dataBegins(long requestId, long length) throws IOException;

        void dataComplete(PendingReply reply);
    }

    private static final int DIRECT_BYTES = 16 * 1024;
    private static final int MAX_READ = 1 << 30;
    private static final int BLOCK_OFFSET = Frames.LENGTH_BYTES;
    private static final int TEMPLATE_OFFSET = Frames.LENGTH_BYTES + 2;
    private static final int VERSION_OFFSET = Frames.LENGTH_BYTES + 6;

    private final ReadableByteChannel channel;
    private final RecordTransport sealed;
    private final Receiver receiver;
    private final MemorySegment memory;
    private final ByteBuffer bytes;
    private final UnsafeBuffer codec;
    private final AckDecoder ack = new AckDecoder();
    private final ValueDecoder value = new ValueDecoder();
    private final DoneDecoder done = new DoneDecoder();
    private final ErrorDecoder error = new ErrorDecoder();
    private final DataDecoder data = new DataDecoder();
    private int filled;
    private long messages;
    private PendingReply receiving;
    private long receivingBytes;
    private ByteBuffer direct;

    ReplyReader(ReadableByteChannel channel, int capacity, SegmentAllocator allocator, Receiver receiver) {
        this.channel = channel;
        this.sealed = RecordTransport.of(channel);
        this.receiver = receiver;
        this.memory = allocator.allocate(capacity, SendBuffer.ALIGNMENT);
        this.bytes = memory.asByteBuffer();
        this.codec = new UnsafeBuffer(bytes);
    }

    /** Reads and handles what is there; false when nothing was. */
    boolean poll() throws IOException {
        boolean moved = read();
        while (sealed != null && moved && sealed.hasReadable()) {
            moved = read();
        }
        return moved;
    }

    private boolean read() throws IOException {
        if (receiving != null && filled == 0 && receivingBytes >= DIRECT_BYTES && receiving.takesDirectReads()) {
            return readDirectly();
        }
        bytes.limit(bytes.capacity()).position(filled);
        int read = channel.read(bytes);
        if (read <= 0) {
            return ended(read);
        }
        filled += read;
        handle();
        return true;
    }

    private static boolean ended(int read) throws EOFException {
        if (read < 0) {
            throw new EOFException("connection closed");
        }
        return false;
    }

    private boolean readDirectly() throws IOException {
        MemorySegment target = receiving.destination().memory();
        OwnersMemory.checkOpen(target);
        if (direct == null) {
            direct = OwnersMemory.reachableByAll(target)
                .asSlice(receiving.destination().position(), Math.min(receivingBytes, MAX_READ)).asByteBuffer();
        }
        int read = channel.read(direct);
        if (read <= 0) {
            return ended(read);
        }
        receiving.destination().advance(read);
        receivingBytes -= read;
        if (!direct.hasRemaining()) {
            direct = null;
        }
        if (receivingBytes == 0) {
            endData();
        }
        return true;
    }

    /** Messages received so far; one of which only a part has come counts. */
    long messages() {
        return messages;
    }

    private void endData() {
        PendingReply complete = receiving;
        receiving = null;
        direct = null;
        receiver.dataComplete(complete);
    }

    private void handle() throws IOException {
        int at = 0;
        while (at < filled) {
            int used = receiving != null ? data(at) : frame(at);
            if (used == 0) {
                break;
            }
            at += used;
        }
        if (at > 0 && at < filled) {
            MemorySegment.copy(memory, at, memory, 0, filled - at);
        }
        filled -= at;
    }

    private int data(int at) {
        int length = (int) Math.min(filled - at, receivingBytes);
        receiving.accept(memory, at, length);
        receivingBytes -= length;
        if (receivingBytes == 0) {
            endData();
        }
        return length;
    }

    /** Handles a whole frame, or the beginning of a data frame; 0 when not enough of it is there. */
    private int frame(int at) throws IOException {
        int available = filled - at;
        if (available < Frames.HEADER_BYTES) {
            return 0;
        }
        int frameLength = codec.getInt(at);
        int blockLength = codec.getShort(at + BLOCK_OFFSET) & 0xFFFF;
        int template = codec.getShort(at + TEMPLATE_OFFSET) & 0xFFFF;
        int version = codec.getShort(at + VERSION_OFFSET) & 0xFFFF;
        int fixed = Frames.HEADER_BYTES + blockLength;
        int needed = template == DataDecoder.TEMPLATE_ID ? fixed : frameLength;
        if (blockLength < leastBlock(template) || frameLength < fixed || needed > codec.capacity()) {
            throw new IOException("frame of " + frameLength + " bytes, with a block of " + blockLength
                + ", with message " + template);
        }
        if (available < needed) {
            return 0;
        }
        messages++;
        int block = at + Frames.HEADER_BYTES;
        switch (template) {
            case AckDecoder.TEMPLATE_ID -> receiver.ack(ack.wrap(codec, block, blockLength, version).executed());
            case ValueDecoder.TEMPLATE_ID -> {
                value.wrap(codec, block, blockLength, version);
                receiver.value(value.requestId(), value.value());
            }
            case DoneDecoder.TEMPLATE_ID ->
                receiver.value(done.wrap(codec, block, blockLength, version).requestId(), 0);
            case ErrorDecoder.TEMPLATE_ID -> error(block, blockLength, version, frameLength - fixed);
            case RegionDecoder.TEMPLATE_ID -> region(block, blockLength, version, frameLength - fixed);
            case DataDecoder.TEMPLATE_ID -> {
                receivingBytes = frameLength - fixed;
                receiving = receiver.dataBegins(data.wrap(codec, block, blockLength, version).requestId(),
                    receivingBytes);
                if (receivingBytes == 0) {
                    endData();
                }
            }
            case ChannelDecoder.TEMPLATE_ID -> channel(block, blockLength, version, frameLength - fixed);
            case ChannelWantedDecoder.TEMPLATE_ID -> receiver.channelWanted();
            case CreditDecoder.TEMPLATE_ID ->
                receiver.credit(new CreditDecoder().wrap(codec, block, blockLength, version).freed());
            default -> receiver.takeRoute();
        }
        return needed;
    }

    private static int leastBlock(int template) throws IOException {
        int least = Templates.blockLengthForRank(template);
        if (least < 0) {
            throw new IOException("unexpected message " + template);
        }
        return least;
    }

    private void error(int block, int blockLength, int version, int rest) throws IOException {
        int text = rest - ErrorDecoder.detailHeaderLength();
        if (text < 0 || error.wrap(codec, block, blockLength, version).detailLength() > text) {
            throw new IOException("an error with " + rest + " bytes for its text, which is longer");
        }
        receiver.error(error);
    }

    /** Two texts follow the block, each with its length. */
    private void region(int block, int blockLength, int version, int rest) throws IOException {
        RegionDecoder region = new RegionDecoder().wrap(codec, block, blockLength, version);
        checkTexts(block + blockLength, rest);
        String provider = region.provider();
        byte[] address = new byte[region.addressLength()];
        region.getAddress(address, 0, address.length);
        receiver.region(region.requestId(), new RegionFacts(provider, address, region.start(), region.key(),
            region.bytes(), region.partOffset()));
    }

    private void checkTexts(int at, int rest) throws IOException {
        int left = rest;
        for (int text = 0; text < 2; text++) {
            int length = left < Short.BYTES ? left : codec.getShort(at + rest - left) & 0xFFFF;
            left -= Short.BYTES + length;
            if (left < 0) {
                throw new IOException("a region with " + rest + " bytes for its texts, which are longer");
            }
        }
    }

    private static ChannelDesign design(int number) {
        return number < DESIGNS.length ? DESIGNS[number] : null;
    }

    private void channel(int block, int blockLength, int version, int rest) throws IOException {
        ChannelDecoder channel = new ChannelDecoder().wrap(codec, block, blockLength, version);
        checkTexts(block + blockLength, rest);
        String provider = channel.provider();
        byte[] address = new byte[channel.addressLength()];
        channel.getAddress(address, 0, address.length);
        receiver.channel(new ChannelFacts(provider, address, channel.start(), channel.key(), channel.bytes(),
            channel.number(), channel.byCompletion() != 0, design(channel.design())));
    }
}

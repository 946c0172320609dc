package org.tributary.client.connection;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AckEncoder;
import org.tributary.wire.codec.ChannelEncoder;
import org.tributary.wire.codec.ChannelWantedEncoder;
import org.tributary.wire.codec.CreditEncoder;
import org.tributary.wire.codec.DataEncoder;
import org.tributary.wire.codec.DoneEncoder;
import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.codec.ErrorEncoder;
import org.tributary.wire.codec.MessageHeaderEncoder;
import org.tributary.wire.codec.RegionEncoder;
import org.tributary.wire.codec.TakeRouteEncoder;
import org.tributary.wire.codec.ValueEncoder;

/** What a server sends, as bytes. */
public final class Answers {
    private final UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(1 << 20));
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();

    public byte[] ack(long executed) {
        new AckEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES, header).executed(executed);
        return frame(AckEncoder.BLOCK_LENGTH);
    }

    public byte[] value(long request, long value) {
        new ValueEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES, header).requestId(request).value(value);
        return frame(ValueEncoder.BLOCK_LENGTH);
    }

    byte[] done(long request) {
        new DoneEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES, header).requestId(request);
        return frame(DoneEncoder.BLOCK_LENGTH);
    }

    byte[] takeRoute() {
        new TakeRouteEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES, header);
        return frame(TakeRouteEncoder.BLOCK_LENGTH);
    }

    byte[] error(long request, String detail) {
        ErrorEncoder error = new ErrorEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES, header);
        error.requestId(request).code(ErrorCode.BAD_REQUEST).rank(1).segmentId(2).targetOffset(3).lengthInBytes(4)
            .bound(5).detail(detail);
        return frame(error.encodedLength());
    }

    byte[] region(long request, String provider, byte[] address) {
        RegionEncoder region = new RegionEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES, header);
        region.requestId(request).start(2).key(-3).bytes(4).partOffset(5).provider(provider)
            .putAddress(address, 0, address.length);
        return frame(region.encodedLength());
    }

    byte[] channel(String provider, byte[] address, int number) {
        ChannelEncoder channel = new ChannelEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES, header);
        channel.start(2).key(-3).bytes(4).number(number).byCompletion((short) 1).provider(provider)
            .putAddress(address, 0, address.length);
        return frame(channel.encodedLength());
    }

    byte[] channelWanted() {
        new ChannelWantedEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES, header);
        return frame(ChannelWantedEncoder.BLOCK_LENGTH);
    }

    byte[] credit(long freed) {
        new CreditEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES, header).freed(freed);
        return frame(CreditEncoder.BLOCK_LENGTH);
    }

    byte[] data(long request, byte[] payload) {
        new DataEncoder().wrapAndApplyHeader(buffer, Frames.LENGTH_BYTES, header).requestId(request);
        buffer.putBytes(Frames.HEADER_BYTES + DataEncoder.BLOCK_LENGTH, payload);
        return frame(DataEncoder.BLOCK_LENGTH + payload.length);
    }

    private byte[] frame(int bytesAfterHeader) {
        byte[] bytes = new byte[Frames.HEADER_BYTES + bytesAfterHeader];
        buffer.putInt(0, bytes.length);
        buffer.getBytes(0, bytes);
        return bytes;
    }

    /** One after the other. */
    public static byte[] join(byte[]... parts) {
        ByteBuffer all = ByteBuffer.allocate(Arrays.stream(parts).mapToInt(part -> part.length).sum());
        for (byte[] part : parts) {
            all.put(part);
        }
        return all.array();
    }
}

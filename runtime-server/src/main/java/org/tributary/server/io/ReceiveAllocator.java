package org.tributary.server.io;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import java.util.function.Supplier;

/**
 * Tells Netty where one connection's next read goes: into the loop's buffer, or, when large payload is due, directly
 * into the segment it is for. Owned by the event loop.
 */
public record ReceiveAllocator(Supplier<ByteBuf> target) implements RecvByteBufAllocator {
    private static final int READS_BEFORE_OTHERS = 16;

    @Override
    @SuppressWarnings("deprecation") // Netty's own interface still asks for this method
    public RecvByteBufAllocator.Handle newHandle() {
        return new TargetHandle();
    }

    private final class TargetHandle implements ExtendedHandle {
        private ChannelConfig channel;
        private int attempted;
        private int read;
        private int reads;

        @Override
        public ByteBuf allocate(ByteBufAllocator ignored) {
            return target.get();
        }

        @Override
        public int guess() {
            return attempted;
        }

        @Override
        public void reset(ChannelConfig config) {
            channel = config;
            reads = 0;
            read = 0;
        }

        @Override
        public void incMessagesRead(int count) {
            reads += count;
        }

        @Override
        public void lastBytesRead(int bytes) {
            read = bytes;
        }

        @Override
        public int lastBytesRead() {
            return read;
        }

        @Override
        public void attemptedBytesRead(int bytes) {
            attempted = bytes;
        }

        @Override
        public int attemptedBytesRead() {
            return attempted;
        }

        @Override
        public boolean continueReading() {
            // Once the handler holds reading back, each read more brings bytes that it has to keep. Netty does not ask
            // when the other side has ended: it then reads all.
            return channel.isAutoRead() && read > 0 && read == attempted && reads < READS_BEFORE_OTHERS;
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
            return continueReading();
        }

        @Override
        public void readComplete() {
            // Nothing is learned from a read: buffers have fixed sizes.
        }
    }
}

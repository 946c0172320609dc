package org.tributary.server.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tributary.wire.record.KernelTls;
import org.tributary.wire.record.KernelTlsException;
import org.tributary.wire.socket.SocketDescriptor;

/** Needs a kernel with kTLS; without one this is skipped here and run by {@code -Pktls}. */
class KernelStreamTest {
    private static final byte[] FORTH = new byte[32];
    private static final byte[] BACK = "another secret of as many bytes.".getBytes(StandardCharsets.US_ASCII);
    private static final int RENEW_AFTER = 10;
    private static final long PATIENCE_S = 200;

    private final BlockingQueue<Object> came = new LinkedBlockingQueue<>();
    private EventLoopGroup group;
    private Channel listener;
    private SocketChannel client;
    private KernelTls sender;
    private Server server;

    /** The end of a server, which reads one byte at a time and so looks for more after each. */
    private final class Server extends ChannelInboundHandlerAdapter {
        private final ReceiveBuffer buffer = new ReceiveBuffer(1, Arena.ofAuto());
        private KernelStream kernel;
        private Channel channel;
        private int received;
        private boolean hasMet;

        @Override
        public void handlerAdded(ChannelHandlerContext context) throws IOException {
            channel = context.channel();
            channel.config().setRecvByteBufAllocator(new ReceiveAllocator(this::readTarget));
            kernel = new KernelStream(KernelTls.begin(((EpollSocketChannel) channel).fd().intValue(), BACK, FORTH,
                RENEW_AFTER));
            channel.pipeline().addFirst(kernel);
            came.add("ready");
        }

        private ByteBuf readTarget() {
            try {
                kernel.beforeRead();
            } finally {
                if (received == RENEW_AFTER && !hasMet) {
                    hasMet = true;
                    write(RENEW_AFTER); // with a KeyUpdate before it, which comes between look and read
                }
            }
            return buffer.toRead();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            received++;
            came.add((int) buffer.bytes().get(0));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            came.add(cause);
        }
    }

    @BeforeEach
    void connect() throws Exception {
        assumeTrue(KernelTls.problem() == null, KernelTls::problem);
        group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        server = new Server();
        listener = new ServerBootstrap().group(group).channel(EpollServerSocketChannel.class).childHandler(server)
            .bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
        client = SocketChannel.open((InetSocketAddress) listener.localAddress());
        client.setOption(StandardSocketOptions.TCP_NODELAY, true);
        sender = KernelTls.begin(SocketDescriptor.of(client), FORTH, BACK, RENEW_AFTER);
        assertEquals("ready", next());
    }

    @AfterEach
    void close() throws Exception {
        if (group != null) {
            client.close();
            group.shutdownGracefully(0, PATIENCE_S, TimeUnit.SECONDS).sync();
        }
    }

    private Object next() throws InterruptedException {
        Object next = came.poll(PATIENCE_S, TimeUnit.SECONDS);
        assertNotNull(next, "nothing came");
        return next;
    }

    private void write(int value) {
        try {
            sender.beforeWrite(1);
            client.write(ByteBuffer.wrap(new byte[] {(byte) value}));
        } catch (IOException e) {
            came.add(e);
        }
    }

    @Test
    void shouldGoOnWhenAKeyUpdateComesBetweenLookAndRead() throws InterruptedException {
        for (int i = 0; i < RENEW_AFTER; i++) {
            write(i);
            assertEquals(i, next());
        }
        assertEquals(RENEW_AFTER, next());
        for (int i = 0; i < 10 * RENEW_AFTER; i++) {
            write(i);
            assertEquals(i, next());
        }
        assertTrue(server.channel.isActive());
    }

    @Test
    void shouldNotTouchTheDescriptorWhenTheConnectionIsClosed() throws Exception {
        server.channel.eventLoop().submit(() -> {
            server.channel.write(Unpooled.wrappedBuffer(new byte[1 << 16]));
            server.channel.close();
            server.channel.flush();
        }).sync();
        group.shutdownGracefully(0, PATIENCE_S, TimeUnit.SECONDS).sync();
        assertTrue(came.isEmpty(), came::toString);
    }

    @Test
    void shouldTellItFromTheNetworkWhenTheKernelRefuses() throws IOException {
        client.close();
        EmbeddedChannel channel = new EmbeddedChannel(new KernelStream(sender), new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                came.add(cause);
            }
        });
        channel.writeOneOutbound(Unpooled.wrappedBuffer(new byte[1 << 20])).addListener(done -> { });
        channel.flushOutbound();
        assertInstanceOf(KernelTlsException.class, came.poll());
        channel.finishAndReleaseAll();
    }
}

package org.tributary.server.io;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.tributary.config.Settings;

class EncryptionTest {
    /** A rank that dies then has its socket closed while the end of the handshake is written to it. */
    @Test
    void shouldSayThatItIsClosedWhenAConnectionClosesAtTheEndOfItsHandshake() throws InterruptedException {
        Arena arena = Arena.ofAuto();
        Encryption encryption = new Encryption(Settings.builder().set("network.encryption=ktls").build(), arena,
            new ReplyBufferPool(arena), new KeptRequests(arena, 1 << 18, 1 << 24));
        try (EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory())) {
            EpollSocketChannel channel = new EpollSocketChannel();
            channel.pipeline().addLast("last", new ChannelInboundHandlerAdapter());
            ChannelHandlerContext context = channel.pipeline().context("last");
            group.register(channel).sync();
            channel.close().sync();
            assertThrows(Encryption.ClosedException.class, () -> encryption.begin(context, null));
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }
}

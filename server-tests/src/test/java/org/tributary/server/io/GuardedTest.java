package org.tributary.server.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Faults of work behind a write. A listener of Netty's would log them, and the connection would wait for ever. */
class GuardedTest {
    private final List<Throwable> caught = new ArrayList<>();
    private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter(),
        new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                caught.add(cause);
            }
        });

    @Test
    void shouldTellTheHandlersOfTheChannelWhenWorkFails() {
        InternalError gone = new InternalError("memory is gone");
        ChannelHandlerContext[] contexts = {channel.pipeline().firstContext(), channel.pipeline().lastContext()};
        for (ChannelHandlerContext context : contexts) {
            channel.newSucceededFuture().addListener(done -> Guarded.run(context, () -> {
                throw gone;
            }));
            channel.runPendingTasks();
        }
        assertEquals(List.of(gone, gone), caught);
    }
}

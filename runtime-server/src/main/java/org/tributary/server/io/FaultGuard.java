package org.tributary.server.io;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import java.util.function.Consumer;

/**
 * Keeps the event loop alive when shared memory is gone under it, or memory is short: an {@link Error} from looking at
 * the bell of the rings, or one that the JVM tells late, would end the loop without a word. Owned by the event loop.
 */
public record FaultGuard(IoHandler handler, Consumer<Error> onFault) implements IoHandler {
    @Override
    public int run(IoHandlerContext context) {
        try {
            return handler.run(context);
        } catch (Error e) {
            onFault.accept(e);
            return 1;
        }
    }

    @Override
    public void initialize() {
        handler.initialize();
    }

    @Override
    public void prepareToDestroy() {
        handler.prepareToDestroy();
    }

    @Override
    public void destroy() {
        handler.destroy();
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        return handler.register(handle);
    }

    @Override
    public void wakeup() {
        handler.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return handler.isCompatible(handleType);
    }
}

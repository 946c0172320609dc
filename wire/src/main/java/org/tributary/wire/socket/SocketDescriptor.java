package org.tributary.wire.socket;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.channels.SocketChannel;

/** The kernel's number of a channel, for the options of sockets that Java has no API for. Stateless, thread-safe. */
public final class SocketDescriptor {
    private static final String OPTION = "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED";

    private SocketDescriptor() {
    }

    /** Looked up at first use, so that only its users need the option. */
    private static final class Access {
        private static final MethodHandle GET_FD_VAL = find();

        private static MethodHandle find() {
            try {
                return MethodHandles.lookup().findVirtual(Class.forName("sun.nio.ch.SelChImpl"), "getFDVal",
                    MethodType.methodType(int.class));
            } catch (ReflectiveOperationException e) {
                return null;
            }
        }
    }

    /**
     * The descriptor of an open channel. It means something else, or nothing, once the channel has been closed.
     *
     * @throws IOException when java was started without the option that this needs; the message names it
     */
    public static int of(SocketChannel channel) throws IOException {
        if (Access.GET_FD_VAL == null) {
            throw new IOException("java was started without " + OPTION
                + ": start it with the options that 'tributary jvm-options' prints");
        }
        try {
            return (int) Access.GET_FD_VAL.invoke(channel);
        } catch (Throwable e) {
            throw new IOException("no descriptor of " + channel, e);
        }
    }
}

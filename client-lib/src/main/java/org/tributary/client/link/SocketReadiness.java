package org.tributary.client.link;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.function.Consumer;
import org.tributary.client.connection.ServerLink;
import org.tributary.client.connection.Transport;

/** Readiness of sockets, from the kernel. */
final class SocketReadiness implements Readiness {
    private final Selector selector;
    /** One for all selections: a new one for each would be garbage. */
    private final Consumer<SelectionKey> name = this::name;
    private Consumer<ServerLink> ready;

    SocketReadiness() throws IOException {
        this.selector = Selector.open();
    }

    @Override
    public void watch(ServerLink link, Transport transport) throws IOException {
        transport.socket().register(selector, SelectionKey.OP_READ, link);
        selector.wakeup(); // a thread that sleeps in it watches what was there when it began
    }

    @Override
    public void select(long timeoutMs, Consumer<ServerLink> receiver) throws IOException {
        ready = receiver;
        if (timeoutMs == 0) {
            selector.selectNow(name);
        } else {
            selector.select(name, timeoutMs);
        }
    }

    private void name(SelectionKey key) {
        ready.accept((ServerLink) key.attachment());
    }

    @Override
    public void wakeUp() {
        selector.wakeup();
    }

    @Override
    public void close() throws IOException {
        selector.close();
    }
}

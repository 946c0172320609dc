package org.tributary.client.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Stands between ranks and the servers of other nodes: passes on what comes, each direction on a thread of its own. */
abstract class Proxy implements Network {
    private final List<AutoCloseable> open = new CopyOnWriteArrayList<>();

    /** Passes on until either end closes, and closes both: as the death of a process does. */
    abstract void pass(Socket from, Socket to, boolean toServer);

    @Override
    public final InetSocketAddress to(InetSocketAddress server) throws IOException {
        ServerSocket listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        open.add(listener);
        Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    connect(listener.accept(), server);
                }
            } catch (IOException e) {
                // Closed: the job is over.
            }
        });
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    private void connect(Socket client, InetSocketAddress address) throws IOException {
        Socket server = new Socket(address.getAddress(), address.getPort());
        open.add(client);
        open.add(server);
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        Thread.ofVirtual().start(() -> pass(client, server, true));
        Thread.ofVirtual().start(() -> pass(server, client, false));
    }

    @Override
    public final void close() {
        for (AutoCloseable each : open) {
            try {
                each.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}

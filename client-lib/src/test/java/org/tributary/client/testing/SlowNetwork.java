package org.tributary.client.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;

/**
 * Between ranks and the servers of other nodes: passes bytes on, now and then after a pause, each connection by itself.
 * So what travels on different connections overtakes each other, as it may, but hardly ever does on an idle loopback.
 */
final class SlowNetwork implements Network {
    private static final int PIECE_BYTES = 16 * 1024;
    private static final int PAUSES_IN = 6;
    private static final int LONGEST_PAUSE_NS = 1_500_000;

    private final List<AutoCloseable> open = new CopyOnWriteArrayList<>();

    /** An address that leads to a server, slowly. */
    @Override
    public InetSocketAddress to(InetSocketAddress server) throws IOException {
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

    private static void pass(Socket from, Socket to, boolean pauses) {
        Random random = new Random();
        byte[] piece = new byte[PIECE_BYTES];
        try (from; to) { // the end of one direction ends the connection, as the death of a process does
            for (int count = from.getInputStream().read(piece); count >= 0;
                count = from.getInputStream().read(piece)) {
                if (pauses && random.nextInt(PAUSES_IN) == 0) {
                    LockSupport.parkNanos(random.nextInt(LONGEST_PAUSE_NS));
                }
                to.getOutputStream().write(piece, 0, count);
            }
        } catch (IOException e) {
            // One end has closed; so is the other now.
        }
    }

    @Override
    public void close() {
        for (AutoCloseable each : open) {
            try {
                each.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}

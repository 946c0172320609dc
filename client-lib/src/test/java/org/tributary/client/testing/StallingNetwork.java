package org.tributary.client.testing;

import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.locks.LockSupport;

/**
 * Between ranks and the servers of other nodes, which take little: a connection on which more than that has come is
 * read no more, and neither end hears of the other, as if the server were stopped.
 */
final class StallingNetwork extends Proxy {
    private static final int MOST = 1 << 20;
    private static final int PIECE_BYTES = 16 * 1024;

    @Override
    void pass(Socket from, Socket to, boolean toServer) {
        byte[] piece = new byte[PIECE_BYTES];
        long passed = 0;
        try {
            for (int count = from.getInputStream().read(piece); count >= 0;
                count = from.getInputStream().read(piece)) {
                passed += count;
                while (toServer && passed > MOST && !from.isClosed()) {
                    LockSupport.parkNanos(10_000_000);
                }
                to.getOutputStream().write(piece, 0, count);
            }
            from.close();
            to.close();
        } catch (IOException e) {
            // One end has closed, or the test is over, which closes both.
        }
    }
}

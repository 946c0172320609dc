package org.tributary.client.testing;

import java.io.IOException;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * Between ranks and the servers of other nodes: passes bytes on, now and then after a pause, each connection by itself.
 * So what travels on different connections overtakes each other, as it may, but hardly ever does on an idle loopback.
 */
final class SlowNetwork extends Proxy {
    private static final int PIECE_BYTES = 16 * 1024;
    private static final int PAUSES_IN = 6;
    private static final int LONGEST_PAUSE_NS = 1_500_000;

    @Override
    void pass(Socket from, Socket to, boolean toServer) {
        Random random = new Random();
        byte[] piece = new byte[PIECE_BYTES];
        try (from; to) {
            for (int count = from.getInputStream().read(piece); count >= 0;
                count = from.getInputStream().read(piece)) {
                if (toServer && random.nextInt(PAUSES_IN) == 0) {
                    LockSupport.parkNanos(random.nextInt(LONGEST_PAUSE_NS));
                }
                to.getOutputStream().write(piece, 0, count);
            }
        } catch (IOException e) {
            // One end has closed; so is the other now.
        }
    }
}

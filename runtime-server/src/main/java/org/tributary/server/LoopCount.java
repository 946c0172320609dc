package org.tributary.server;

import java.util.function.LongSupplier;
import org.tributary.config.CooperationMode;
import org.tributary.config.Settings;

/** How many event loops of a server move data ({@code server.threads}). Stateless. */
public final class LoopCount {
    /** A loop for so many cores, and one more for what is left. */
    private static final int CORES = 16;
    /**
     * What a loop is good for. Over loopback one has moved 45 Gbit/s in large puts; behind a network card, the kernel
     * does more for each byte.
     */
    private static final int MBIT = 25_000;
    private static final int MOST = 8;

    private LoopCount() {
    }

    /**
     * What the servers of a machine have there.
     *
     * @param cores    that they and the ranks of the job may run on
     * @param ranks    of the job, on this machine
     * @param servers  of the job, on this machine
     * @param linkMbit asked, if it matters, for the speed of the network by which each of them is reached; 0 if that is
     *                 not known
     */
    public record Room(int cores, int ranks, int servers, LongSupplier linkMbit) {
    }

    /** Of each of these servers. Where other loops would have no connections, there is one, whatever is set. */
    public static int of(Settings settings, CooperationMode cooperation, int nodes, Room room) {
        if (!mayBeSeveral(settings, cooperation, nodes)) {
            return 1;
        }
        return settings.serverThreads() > 0 ? settings.serverThreads() : automatic(room);
    }

    /** Whether the machine decides. */
    public static boolean isAutomatic(Settings settings, CooperationMode cooperation, int nodes) {
        return settings.serverThreads() == 0 && mayBeSeveral(settings, cooperation, nodes);
    }

    private static boolean mayBeSeveral(Settings settings, CooperationMode cooperation, int nodes) {
        return nodes > 1 && cooperation == CooperationMode.NONE && settings.fabricChannels() == 0;
    }

    private static int automatic(Room room) {
        int each = Math.min(MOST, Math.min(1 + (room.cores - 1) / CORES, room.cores - room.ranks) / room.servers);
        if (each <= 1) {
            return 1;
        }
        long mbit = room.linkMbit.getAsLong();
        return mbit == 0 ? each : (int) Math.min(each, Math.ceilDiv(mbit, MBIT));
    }
}

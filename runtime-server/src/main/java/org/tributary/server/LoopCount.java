package org.tributary.server;

import java.util.function.LongSupplier;
import org.tributary.config.CooperationMode;
import org.tributary.config.Settings;

/** How many event loops of a server move data ({@code server.threads}). Stateless. */
public final class LoopCount {
    /** A loop for so many cores, and one more for what is left. */
    private static final int CORES = 8;
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

    /** A number of loops, and why. */
    public record Choice(int loops, String reason) {
        /** For users. */
        @Override
        public String toString() {
            return loops + ": " + reason;
        }
    }

    /** Of each of these servers. Where other loops would have no connections, there is one, whatever is set. */
    public static int of(Settings settings, CooperationMode cooperation, int nodes, Room room) {
        return choose(settings, cooperation, nodes, room).loops();
    }

    /** The same, with the reason. */
    public static Choice choose(Settings settings, CooperationMode cooperation, int nodes, Room room) {
        if (nodes <= 1) {
            return new Choice(1, "one node");
        } else if (cooperation != CooperationMode.NONE) {
            return new Choice(1, "nodes cooperate (cooperation.mode)");
        } else if (settings.fabricChannels() != 0) {
            return new Choice(1, "requests go by channels (fabric.channels)");
        } else if (settings.serverThreads() > 0) {
            return new Choice(settings.serverThreads(), "server.threads");
        }
        return automatic(room);
    }

    /** Whether the machine decides. */
    public static boolean isAutomatic(Settings settings, CooperationMode cooperation, int nodes) {
        return settings.serverThreads() == 0 && mayBeSeveral(settings, cooperation, nodes);
    }

    private static boolean mayBeSeveral(Settings settings, CooperationMode cooperation, int nodes) {
        return nodes > 1 && cooperation == CooperationMode.NONE && settings.fabricChannels() == 0;
    }

    private static Choice automatic(Room room) {
        int byCores = Math.ceilDiv(room.cores, CORES);
        int left = room.cores - room.ranks;
        int each = Math.clamp(Math.min(byCores, left) / room.servers, 1, MOST);
        String reason = room.cores + " cores, one loop for each " + CORES
            + (left < byCores ? ", of which ranks leave " + Math.max(left, 0) : "")
            + (room.servers == 1 ? "" : ", for " + room.servers + " servers")
            + (each == MOST ? ", at most " + MOST : "");
        if (each == 1) {
            return new Choice(1, reason);
        }
        long mbit = room.linkMbit.getAsLong();
        if (mbit == 0) {
            return new Choice(each, reason + "; the speed of the network is not known");
        }
        int fed = (int) Math.min(each, Math.ceilDiv(mbit, MBIT));
        return new Choice(fed, fed < each ? "a network of " + mbit + " Mbit/s, one loop for each " + MBIT
            : reason + "; a network of " + mbit + " Mbit/s feeds them");
    }
}

package org.tributary.miniapps;

import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.tributary.client.Gas;
import org.tributary.config.ConfigException;
import org.tributary.wire.shape.ReduceOp;

/** What ranks find out each by itself, on hosts that may differ, and that all of them have to know. Collective. */
public final class Agreement {
    private Agreement() {
    }

    /**
     * Finds something out on every rank.
     *
     * @throws ConfigException on all ranks when one has thrown it, with the words of the first that has
     */
    public static <T> T on(Gas gas, Supplier<T> own) {
        T found = null;
        ConfigException refused = null;
        try {
            found = own.get();
        } catch (ConfigException e) {
            refused = e;
        }
        long first = gas.world().allreduce(ReduceOp.MIN, refused == null ? Long.MAX_VALUE : (long) gas.rank());
        if (first == Long.MAX_VALUE) {
            return found;
        }
        throw new ConfigException(share(gas, (int) first, refused == null ? "" : refused.getMessage()) + " (rank "
            + first + ")");
    }

    /** A rank's text, on all ranks; what the others give does not matter. */
    public static String share(Gas gas, int rank, String text) {
        return new String(share(gas, rank, text.getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8);
    }

    /** The same with bytes. */
    public static byte[] share(Gas gas, int rank, byte[] bytes) {
        long[] length = {bytes.length};
        gas.world().broadcast(rank, length);
        byte[] all = gas.rank() == rank ? bytes : new byte[Math.toIntExact(length[0])];
        if (length[0] > 0) {
            gas.world().broadcast(rank, all);
        }
        return all;
    }
}

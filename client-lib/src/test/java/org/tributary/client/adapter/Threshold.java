package org.tributary.client.adapter;

/** Opens what is closed to other packages. Stateless. */
public final class Threshold {
    private Threshold() {
    }

    /** From how many bytes on an adapter moves data. */
    public static void set(RankAdapter adapter, int bytes) {
        adapter.moveFrom(bytes);
    }
}

package org.tributary.launcher.doctor;

import java.util.Locale;

/** Numbers as people read them. */
final class Amounts {
    static final String BYTES = "bytes";
    static final long MIB = 1 << 20;
    static final long GIB = 1 << 30;

    private Amounts() {
    }

    static String of(long amount, String unit) {
        if (!unit.equals(BYTES)) {
            return amount + (unit.isEmpty() ? "" : " " + unit);
        }
        return amount >= GIB ? String.format(Locale.ROOT, "%.1f GiB", (double) amount / GIB) : amount / MIB + " MiB";
    }
}

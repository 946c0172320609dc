package org.tributary.config;

import java.util.Locale;

/** Constants of enums as people write them, in lower case. */
public final class EnumText {
    private EnumText() {
    }

    public static String words(Enum<?> constant) {
        return underscored(constant).replace('_', ' ');
    }

    public static String hyphenated(Enum<?> constant) {
        return underscored(constant).replace('_', '-');
    }

    public static String underscored(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}

package org.tributary.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers with units as people write them: durations in nanoseconds, sizes in bytes. */
public enum Quantity {
    /** {@code 50us}, {@code 2s}; the unit is needed, except for 0. */
    DURATION("a duration such as 50us, 10ms or 2s", false, units("ns", 1L, "us", 1_000L, "ms", 1_000_000L,
        "s", 1_000_000_000L, "min", 60_000_000_000L, "h", 3_600_000_000_000L)),
    /** {@code 65536}, {@code 64k}, {@code 16m}, {@code 1g}: powers of 1024. */
    SIZE("a size such as 65536, 64k, 16m or 1g", true, units("", 1L, "k", 1L << 10, "m", 1L << 20, "g", 1L << 30));

    private static final Pattern NUMBER_AND_UNIT = Pattern.compile("(\\d{1,19})\\s*([a-z]*)");

    private final String expected;
    private final boolean unitOptional;
    private final Map<String, Long> units;

    Quantity(String expected, boolean unitOptional, Map<String, Long> units) {
        this.expected = expected;
        this.unitOptional = unitOptional;
        this.units = units;
    }

    /** The value in nanoseconds or bytes; throws {@link ConfigException} naming the text and the form expected. */
    public long parse(String text) {
        Matcher matcher = NUMBER_AND_UNIT.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (matcher.matches()) {
            long number = Long.parseLong(matcher.group(1));
            String unit = matcher.group(2);
            if (number == 0 && unit.isEmpty()) {
                return 0;
            }
            Long factor = unit.isEmpty() && !unitOptional ? null : units.get(unit);
            if (factor != null && number <= Long.MAX_VALUE / factor) {
                return number * factor;
            }
        }
        throw new ConfigException("'" + text + "' is not " + expected);
    }

    /** The shortest exact form that {@link #parse} reads back. */
    public String format(long value) {
        if (value == 0) {
            return "0";
        }
        String text = Long.toString(value);
        for (Map.Entry<String, Long> unit : units.entrySet()) {
            if (value % unit.getValue() == 0) {
                text = value / unit.getValue() + unit.getKey();
            }
        }
        return text;
    }

    /** Factors of units by their names, smallest first. */
    Map<String, Long> units() {
        return Collections.unmodifiableMap(units);
    }

    private static Map<String, Long> units(Object... namesAndFactors) {
        Map<String, Long> units = new LinkedHashMap<>();
        for (int i = 0; i < namesAndFactors.length; i += 2) {
            units.put((String) namesAndFactors[i], (Long) namesAndFactors[i + 1]);
        }
        return units;
    }
}

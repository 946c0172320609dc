package org.tributary.benchmarks.windows;

import java.util.Arrays;
import java.util.List;
import org.tributary.config.EnumText;
import org.tributary.config.Nearest;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parts of the benchmark, as command line and results name them, and the columns of their plots. */
enum Part {
    /** Computation that hides behind a put, of the whole epoch and of the transfer alone. */
    OVERLAP("size", "ratio"),
    /** Fences of groups of several sizes, without and with small puts. */
    FENCE("members", "median"),
    /** Exchange with neighbours, with computation. */
    HALO("size", "median"),
    /** Exchange with four neighbours, without computation, against put and notify. */
    GHOST_EXCHANGE("size", "ratio"),
    /** Lock, put, unlock on the node, against a loop on shared memory. */
    LOCK_PUT_UNLOCK("size", "ratio"),
    /** Messages of lock, put, unlock between nodes. */
    LOCK_MESSAGES("size", "messages"),
    /** Two fences against two barriers and a reduce-scatter. */
    TWO_FENCES("members", "median");

    private final String x;
    private final String y;

    Part(String x, String y) {
        this.x = x;
        this.y = y;
    }

    /** The column of results along the horizontal axis of plots. */
    String x() {
        return x;
    }

    /** The column of results along the vertical axis of plots. */
    String y() {
        return y;
    }

    /** For example {@code lock-put-unlock}. */
    @Override
    public String toString() {
        return EnumText.hyphenated(this);
    }

    /** Reads a part as {@link #toString} writes it. */
    static final class Converter implements ITypeConverter<Part> {
        @Override
        public Part convert(String name) {
            List<String> names = Arrays.stream(values()).map(Part::toString).toList();
            if (!names.contains(name)) {
                throw new TypeConversionException("unknown part '" + name + "'" + Nearest.hint(name, names));
            }
            return values()[names.indexOf(name)];
        }
    }
}

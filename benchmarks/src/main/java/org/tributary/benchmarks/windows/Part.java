package org.tributary.benchmarks.windows;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.tributary.config.Nearest;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What can be measured, as command line and results name it, and how it is plotted. */
enum Part {
    /** Computation that hides behind a put, of the whole epoch and of the transfer alone. */
    OVERLAP(Axis.BYTES, Quantity.PERCENT),
    /** Fences of groups of several sizes, without and with small puts. */
    FENCE(Axis.MEMBERS, Quantity.TIME),
    /** Exchange with neighbours, with computation. */
    HALO(Axis.BYTES, Quantity.TIME),
    /** Exchange with four neighbours, without computation, against put and notify. */
    GHOST_EXCHANGE(Axis.BYTES, Quantity.RATIO),
    /** Lock, put, unlock on the node, against a loop on shared memory. */
    LOCK_PUT_UNLOCK(Axis.BYTES, Quantity.RATIO),
    /** Messages of lock, put, unlock between nodes. */
    LOCK_MESSAGES(Axis.BYTES, Quantity.MESSAGES),
    /** Two fences against two barriers and a reduce-scatter. */
    TWO_FENCES(Axis.MEMBERS, Quantity.TIME);

    /** What varies along the horizontal axis of plots. */
    enum Axis { BYTES, MEMBERS }

    /** What the vertical axis of plots shows. */
    enum Quantity { TIME, RATIO, PERCENT, MESSAGES }

    private final Axis axis;
    private final Quantity quantity;

    Part(Axis axis, Quantity quantity) {
        this.axis = axis;
        this.quantity = quantity;
    }

    Axis axis() {
        return axis;
    }

    Quantity quantity() {
        return quantity;
    }

    /** For example {@code lock-put-unlock}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
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

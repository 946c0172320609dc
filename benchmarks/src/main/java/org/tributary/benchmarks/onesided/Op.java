package org.tributary.benchmarks.onesided;

import java.util.Arrays;
import java.util.List;
import org.tributary.config.Nearest;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The operations that can be measured; one iteration of each but the windows is complete at the target when it ends.
 */
enum Op {
    PUT_FENCE("put+fence", Extent.SIZES),
    GET("get", Extent.SIZES),
    /** Of doubles. */
    ACCUMULATE_FENCE("accumulate+fence", Extent.SIZES),
    /** Of a 64-bit word. */
    FETCH_AND_ADD("fetchAndAdd", Extent.WORD),
    /** Of a mutex that nobody else wants. */
    LOCK_UNLOCK("lock+unlock", Extent.NOTHING),
    STRIDED_PUT_FENCE("strided-put+fence", Extent.ROWS),
    STRIDED_GET("strided-get", Extent.ROWS),
    /** Windows of small non-blocking puts, each with a handle of its own. */
    PUT_RATE("put-rate", Extent.WORD),
    /** Windows of small puts under one aggregate handle. */
    AGGREGATE_PUT_RATE("aggregate-put-rate", Extent.WORD),
    /** Windows of non-blocking puts of each size. */
    PUT_BANDWIDTH("put-bandwidth", Extent.SIZES);

    /** Operations in a window, as in the field's bandwidth benchmarks. */
    static final int WINDOW = 64;

    private final String text;
    private final Extent extent;

    Op(String text, Extent extent) {
        this.text = text;
        this.extent = extent;
    }

    /** Length of an operation: each of the sizes to be measured, the rows, one word, or no data. */
    enum Extent { SIZES, ROWS, WORD, NOTHING }

    Extent extent() {
        return extent;
    }

    /** Whether an iteration is a window of {@link #WINDOW} operations, completed by a fence after the last. */
    boolean isWindow() {
        return this == PUT_RATE || this == AGGREGATE_PUT_RATE || this == PUT_BANDWIDTH;
    }

    /** Operations in an iteration. */
    int perIteration() {
        return isWindow() ? WINDOW : 1;
    }

    /** For a strided operation the contiguous one that it is compared with, otherwise itself. */
    Op contiguous() {
        return switch (this) {
            case STRIDED_PUT_FENCE -> PUT_FENCE;
            case STRIDED_GET -> GET;
            default -> this;
        };
    }

    static List<String> names() {
        return Arrays.stream(values()).map(Op::toString).toList();
    }

    /** As on the command line and in results. */
    @Override
    public String toString() {
        return text;
    }

    /** Reads a name of the command line. */
    static final class Converter implements ITypeConverter<Op> {
        @Override
        public Op convert(String name) {
            return Arrays.stream(values()).filter(op -> op.text.equals(name)).findFirst()
                .orElseThrow(() -> new TypeConversionException(
                    "unknown operation '" + name + "'" + Nearest.hint(name, names())));
        }
    }
}

package org.tributary.benchmarks.measure;

import org.tributary.config.ConfigException;
import org.tributary.config.Quantity;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code 8}, {@code 4K} or {@code 4M} on a command line: powers of 1024, from 8 bytes to 1 GiB. */
public final class Sizes implements ITypeConverter<Long> {
    private static final long MIN = Long.BYTES;
    private static final long MAX = 1L << 30;

    @Override
    public Long convert(String text) {
        long bytes;
        try {
            bytes = Quantity.SIZE.parse(text);
        } catch (ConfigException e) {
            throw new TypeConversionException(e.getMessage());
        }
        if (bytes < MIN || bytes > MAX || bytes % Long.BYTES != 0) {
            throw new TypeConversionException("'" + text + "' is not a multiple of 8 bytes between 8 and 1g");
        }
        return bytes;
    }

    /** As people write it: {@code 512}, {@code 32K}, {@code 4M}. */
    public static String format(long bytes) {
        return Quantity.SIZE.format(bytes).toUpperCase(java.util.Locale.ROOT);
    }
}

package org.tributary.config;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The type of an option: how its text is read, checked and written. Values are Long, Path, String, enum or record. */
interface Kind {
    /** Throws {@link ConfigException} with the rest of a sentence that begins with the option's key. */
    Object parse(String text);

    String format(Object value);

    String type();

    String range();

    static Kind duration(String min, String max) {
        return quantity(Quantity.DURATION, "duration", min, max);
    }

    static Kind size(String min, String max) {
        return quantity(Quantity.SIZE, "size", min, max);
    }

    /** A size that is a power of 2. */
    static Kind powerOfTwo(String min, String max) {
        return new PowerOfTwo(size(min, max));
    }

    private static Kind quantity(Quantity quantity, String type, String min, String max) {
        return new Numeric(type, quantity::parse, quantity::format, quantity.parse(min), quantity.parse(max));
    }

    static Kind integer(long min, long max) {
        return new Numeric("integer", Kind::parseInteger, Long::toString, min, max);
    }

    private static long parseInteger(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new ConfigException("'" + text + "' is not an integer");
        }
    }

    static <E extends Enum<E>> Kind choice(Class<E> values) {
        return new Choice<>(values);
    }

    /** A number of channels, after which a design may stand, and after that a size. */
    static Kind channels(int max) {
        return new Channels(integer(0, max), choice(ChannelDesign.class));
    }

    static Kind path() {
        return new AbsolutePath();
    }

    static Kind text() {
        return new Text();
    }

    /** A number with a range, in nanoseconds, bytes or units of one. */
    record Numeric(String type, ToLongFunction<String> reader,
                   LongFunction<String> writer, long min, long max) implements Kind {
        @Override
        public Object parse(String text) {
            long value = reader.applyAsLong(text);
            if (value < min || value > max) {
                throw new ConfigException(text + " is outside " + range());
            }
            return value;
        }

        @Override
        public String format(Object value) {
            return writer.apply((Long) value);
        }

        @Override
        public String range() {
            return writer.apply(min) + " to " + writer.apply(max);
        }
    }

    /** A size of which there are few. */
    record PowerOfTwo(Kind size) implements Kind {
        @Override
        public Object parse(String text) {
            Object value = size.parse(text);
            if (Long.bitCount((Long) value) != 1) {
                throw new ConfigException(text + " is no power of 2");
            }
            return value;
        }

        @Override
        public String format(Object value) {
            return size.format(value);
        }

        @Override
        public String type() {
            return size.type();
        }

        @Override
        public String range() {
            return size.range() + ", a power of 2";
        }
    }

    /** One of the constants of an enum, written in lower case, with - between its words. */
    record Choice<E extends Enum<E>>(Class<E> values) implements Kind {
        @Override
        public Object parse(String text) {
            for (E value : values.getEnumConstants()) {
                if (format(value).equals(text)) {
                    return value;
                }
            }
            throw new ConfigException("'" + text + "' is not one of " + range());
        }

        @Override
        public String format(Object value) {
            return EnumText.hyphenated((Enum<?>) value);
        }

        @Override
        public String type() {
            return "choice";
        }

        @Override
        public String range() {
            return constants().collect(Collectors.joining(", "));
        }

        Stream<String> constants() {
            return Arrays.stream(values.getEnumConstants()).map(this::format);
        }
    }

    /** A number, and perhaps a colon and a {@link ChannelDesign}, and perhaps a colon and the bytes of a block. */
    record Channels(Kind number, Kind design) implements Kind {
        private static final ChannelDesign USUAL = ChannelDesign.VARIABLE_BOTTOM;

        @Override
        public Object parse(String text) {
            String[] parts = text.split(":", 3);
            int count = ((Long) number.parse(parts[0])).intValue();
            ChannelDesign chosen = parts.length == 1 ? USUAL : (ChannelDesign) design.parse(parts[1]);
            int bytes = parts.length < 3 ? chosen.usualBlockBytes() : parseBytes(parts[2], chosen);
            return new ChannelSetting(count, chosen, bytes);
        }

        private static int parseBytes(String text, ChannelDesign design) {
            long bytes = Quantity.SIZE.parse(text);
            if (!design.fits(bytes)) {
                throw new ConfigException("a block of " + design + " has " + sizes(design) + ", not " + text);
            }
            return (int) bytes;
        }

        private static String sizes(ChannelDesign design) {
            String slot = Quantity.SIZE.format(ChannelDesign.SLOT_BYTES);
            return Quantity.SIZE.format(2L * ChannelDesign.SLOT_BYTES) + " to "
                + Quantity.SIZE.format(design.maxBlockBytes()) + " in steps of " + slot;
        }

        @Override
        public String format(Object value) {
            ChannelSetting channels = (ChannelSetting) value;
            boolean isUsual = channels.blockBytes() == channels.design().usualBlockBytes();
            String size = isUsual ? "" : ":" + Quantity.SIZE.format(channels.blockBytes());
            return channels.count() + (isUsual && channels.design() == USUAL ? "" : ":" + channels.design()) + size;
        }

        @Override
        public String type() {
            return "channels";
        }

        @Override
        public String range() {
            return number.range() + ", then perhaps a colon and " + design.range()
                + ", then perhaps a colon and the bytes of a block: " + sizes(ChannelDesign.VARIABLE_BOTTOM)
                + ", of fixed designs to " + Quantity.SIZE.format(ChannelDesign.FIXED_TOP.maxBlockBytes());
        }
    }

    /** An absolute path; whether it exists is for the server to find out, on its own machine. */
    record AbsolutePath() implements Kind {
        @Override
        public Object parse(String text) {
            try {
                Path path = Path.of(text).normalize();
                if (path.isAbsolute()) {
                    return path;
                }
            } catch (InvalidPathException e) {
                throw new ConfigException("'" + text + "' is not a path: " + e.getReason());
            }
            throw new ConfigException("'" + text + "' is not an absolute path");
        }

        @Override
        public String format(Object value) {
            return value.toString();
        }

        @Override
        public String type() {
            return "path";
        }

        @Override
        public String range() {
            return "absolute";
        }
    }

    /** Any text but an empty one. */
    record Text() implements Kind {
        @Override
        public Object parse(String text) {
            if (text.isEmpty()) {
                throw new ConfigException("the value is empty");
            }
            return text;
        }

        @Override
        public String format(Object value) {
            return (String) value;
        }

        @Override
        public String type() {
            return "text";
        }

        @Override
        public String range() {
            return "not empty";
        }
    }
}

package org.tributary.wire.shm;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tributary.wire.Agreement;
import org.tributary.wire.Frames;
import org.tributary.wire.Handshake;
import org.tributary.wire.codec.RefusalCode;
import org.tributary.wire.record.Records;

/**
 * Writes what the C client must have like the Java one as a header of C, for its build: places and sizes in shared
 * memory, limits of messages, records and the handshake, and what members of a group agree on.
 */
public final class LayoutHeader {
    private LayoutHeader() {
    }

    /** One macro for each number. */
    public static String text() {
        return Stream.of(
            constants("FRAME", Frames.class),
            constants("RECORD", Records.class),
            constants("CONTROL", ControlFile.class),
            constants("RINGS", RingFile.class),
            constants("NOTIFY", NotifyTable.class),
            constants("WAIT", WaitSlots.class),
            constants("LATENCY", Latencies.class),
            constants("TRACE", TraceLayout.class),
            define("TRACE_FILE_BYTES", TraceLayout.fileBytes()),
            codes("OPERATION", TraceOperation.values()),
            constants("MUTEX", MutexWord.class),
            constants("COLLECTIVE", CollectiveLayout.class),
            constants("CALL", CallLayout.class),
            constants("FAILURE", FailureLayout.class),
            codes("WAIT", WaitKind.values()),
            codes("LATENCY", LatencyKind.values()),
            codes("SEGMENT", SegmentKind.values()),
            codes("PURPOSE", Purpose.values()),
            "#define TRIB_PURPOSE_WORDS " + Arrays.stream(Purpose.values())
                .map(purpose -> '"' + Purpose.words(purpose.ordinal()) + '"').collect(Collectors.joining(", ")) + "\n",
            "#define TRIB_REFUSALS " + Arrays.stream(RefusalCode.values()).filter(code -> code != RefusalCode.NULL_VAL)
                .map(code -> "[%d] = \"%s\"".formatted(code.value(), code)).collect(Collectors.joining(", ")) + "\n",
            define("TOKEN_BYTES", Handshake.TOKEN_BYTES),
            define("AGREEMENT_BYTES", Agreement.MAX_BYTES),
            define("AGREEMENT_VALUE_BYTES", Agreement.MAX_VALUE_BYTES),
            define("BELL_OFFSET", Doorbell.BELL),
            define("SLEEPERS_OFFSET", Doorbell.SLEEPERS),
            define("SERVER_BELL_OFFSET", RingFile.BELL_OFFSET + ServerBell.BELL),
            define("SERVER_ASLEEP_OFFSET", RingFile.BELL_OFFSET + ServerBell.ASLEEP),
            define("RING_TAIL_OFFSET", RequestRing.TAIL),
            define("RING_HEAD_OFFSET", RequestRing.HEAD),
            define("RING_DATA_OFFSET", RequestRing.DATA),
            define("LOCKS", AccumulateLocks.LOCKS),
            define("LOCK_BYTES", AccumulateLocks.BYTES / AccumulateLocks.LOCKS),
            define("STRIPE_BYTES", AccumulateLocks.STRIPE_BYTES),
            define("PART_ALIGNMENT", SegmentLayout.PART_ALIGNMENT))
            .collect(Collectors.joining("", "/* Generated from org.tributary.wire and its packages. */\n", ""));
    }

    /** All numbers of a class but its private ones. */
    private static String constants(String prefix, Class<?> table) {
        return Arrays.stream(table.getDeclaredFields())
            .filter(field -> Modifier.isStatic(field.getModifiers()) && !Modifier.isPrivate(field.getModifiers())
                && (field.getType() == int.class || field.getType() == long.class))
            .map(field -> define(prefix + "_" + field.getName(), valueOf(field))).collect(Collectors.joining());
    }

    private static long valueOf(Field field) {
        try {
            field.setAccessible(true);
            return field.getLong(null);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String codes(String prefix, Enum<?>[] all) {
        return Arrays.stream(all).map(code -> define(prefix + "_" + code.name(), code.ordinal()))
            .collect(Collectors.joining());
    }

    /** Small numbers are of type int, as in Java; the least of C's has no literal. */
    private static String define(String name, long value) {
        String literal = value == Long.MIN_VALUE ? "INT64_MIN"
            : value == (int) value ? Long.toString(value) : "0x%XLL".formatted(value);
        return "#define TRIB_" + name + " " + literal + "\n";
    }
}

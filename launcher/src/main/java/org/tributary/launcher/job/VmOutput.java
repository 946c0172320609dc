package org.tributary.launcher.job;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.NoSuchElementException;

/**
 * HotSpot's own output on standard output, stacks of its threads above all. Fatal errors and warnings do not pass
 * its switch, {@code DisplayVMOutput}. As an option ({@code -XX:-DisplayVMOutput}) it would keep a JVM that cannot
 * start from saying why; so it is turned off later, at the address that the tables for debuggers give.
 */
final class VmOutput {
    private static final String FLAG_TYPE = "JVMFlag";
    private static final String SWITCH = "DisplayVMOutput";

    private final MemorySegment memory;
    private final SymbolLookup jvm;

    @SuppressWarnings("restricted") // the launcher runs with native access enabled
    private VmOutput(SymbolLookup jvm) {
        this.jvm = jvm;
        this.memory = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    }

    /**
     * Prints no more.
     *
     * @throws NoSuchElementException when the JVM has no such tables
     */
    static void end(SymbolLookup jvm) {
        new VmOutput(jvm).end();
    }

    private void end() {
        String fields = "gHotSpotVMStructEntry";
        long field = global(fields + "FieldNameOffset");
        long address = global(fields + "AddressOffset");
        long offset = global(fields + "OffsetOffset");
        long flags = 0;
        long count = 0;
        long name = 0;
        long value = 0;
        long stride = global(fields + "ArrayStride");
        long type = global(fields + "TypeNameOffset");
        for (long at = find("gHotSpotVMStructs", type, stride); is(at + type); at += stride) {
            switch (text(at + field)) {
                case "flags" -> flags = number(number(at + address));
                case "numFlags" -> count = number(number(at + address));
                case "_name" -> name = number(at + offset);
                case "_addr" -> value = number(at + offset);
                default -> { }
            }
        }
        String types = "gHotSpotVMTypeEntry";
        long size = number(find("gHotSpotVMTypes", global(types + "TypeNameOffset"), global(types + "ArrayStride"))
            + global(types + "SizeOffset"));
        for (long flag = flags; flag < flags + count * size && number(flag + name) != 0; flag += size) {
            if (text(flag + name).equals(SWITCH)) {
                memory.set(JAVA_BYTE, number(flag + value), (byte) 0);
                return;
            }
        }
    }

    /** The first entry of flags in a table, which the entry without a name ends. */
    private long find(String table, long type, long stride) {
        long at = global(table);
        while (number(at + type) != 0 && !is(at + type)) {
            at += stride;
        }
        if (number(at + type) == 0) {
            throw new NoSuchElementException(FLAG_TYPE);
        }
        return at;
    }

    private boolean is(long place) {
        return number(place) != 0 && text(place).equals(FLAG_TYPE);
    }

    @SuppressWarnings("restricted")
    private long global(String symbol) {
        return jvm.findOrThrow(symbol).reinterpret(JAVA_LONG.byteSize()).get(JAVA_LONG, 0);
    }

    private long number(long place) {
        return memory.get(JAVA_LONG, place);
    }

    private String text(long place) {
        return memory.getString(number(place));
    }
}

package org.tributary.config;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Writes the table of options as a header of C, from which the C client makes its own table at build time. */
public final class OptionsHeader {
    private OptionsHeader() {
    }

    /**
     * One macro for each quantity: its units. One for each variable: its name. One for each option: its key, variable,
     * kind, two defaults, range and choices, in the order of a C initializer. Then one for each choice: its number. At
     * the end, all variables that there are.
     */
    public static String text() {
        String head = """
            /* Generated from org.tributary.config. */
            #define TRIB_JOB_ID_BYTES %d
            #define TRIB_MIN_SECRET_BYTES %d
            #define TRIB_VARIABLE_PREFIX "%s"
            """.formatted(JobEnvironmentReader.MAX_JOB_ID_BYTES, Secrets.MIN_BYTES, JobVariables.PREFIX);
        return Stream.of(Arrays.stream(Quantity.values()).map(OptionsHeader::units),
            JobVariables.describe().keySet().stream().map(OptionsHeader::variable),
            Arrays.stream(Option.values()).map(option -> variable(option.variable()) + macro(option) + choices(option)))
            .flatMap(macros -> macros).collect(Collectors.joining("", head, "#define TRIB_VARIABLES "
                + Stream.concat(JobVariables.describe().keySet().stream(), Option.variables().stream())
                    .map(OptionsHeader::quoted).collect(Collectors.joining(", ")) + "\n"));
    }

    private static String units(Quantity quantity) {
        return "#define TRIB_" + quantity.name() + "_UNITS " + quantity.units().entrySet().stream()
            .map(unit -> "{" + quoted(unit.getKey()) + ", " + unit.getValue() + "}").collect(Collectors.joining(", "))
            + "\n";
    }

    private static String variable(String name) {
        return "#define " + macroOf(name) + " " + quoted(name) + "\n";
    }

    private static String macroOf(String variable) {
        return "TRIB_VARIABLE_" + variable.substring(JobVariables.PREFIX.length());
    }

    private static String macro(Option option) {
        String kind = option.kind().type().toUpperCase(Locale.ROOT);
        return "#define TRIB_OPTION_" + option.name() + " " + quoted(option.key()) + ", " + macroOf(option.variable())
            + ", TRIB_" + kind + (option.isShared() ? " | TRIB_SHARED, " : ", ")
            + quoted(option.defaultText(WaitPreset.SHARED)) + ", "
            + quoted(option.defaultText(WaitPreset.DEDICATED)) + ", " + limits(option.kind()) + "\n";
    }

    private static String choices(Option option) {
        Enum<?>[] constants = switch (option.kind()) {
            case Kind.Choice<?> choice -> choice.values().getEnumConstants();
            case Kind.Channels channels -> ChannelDesign.values();
            default -> new Enum<?>[0];
        };
        return Arrays.stream(constants).map(each -> "#define TRIB_" + option.name() + "_" + each.name() + " "
            + each.ordinal() + "\n").collect(Collectors.joining());
    }

    private static String limits(Kind kind) {
        return switch (kind) {
            case Kind.Numeric range -> quoted(range.format(range.min())) + ", " + quoted(range.format(range.max()))
                + ", {0}";
            case Kind.PowerOfTwo power -> limits(power.size());
            case Kind.Choice<?> choice -> "\"\", \"\", " + words(choice);
            case Kind.Channels(Kind.Numeric range, Kind.Choice<?> design) -> quoted(range.format(range.min())) + ", "
                + quoted(range.format(range.max())) + ", " + words(design);
            default -> "\"\", \"\", {0}";
        };
    }

    private static String words(Kind.Choice<?> choice) {
        return choice.constants().map(OptionsHeader::quoted).collect(Collectors.joining(", ", "{", "}"));
    }

    private static String quoted(String text) {
        return '"' + text + '"';
    }
}

package org.tributary.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/** Gathers the texts of settings from files, environment and command line, and turns them into values. */
final class SettingsSources {
    /** Within a word, as in a path, {@code #} is a character like others. */
    private static final Pattern COMMENT = Pattern.compile("(^|\\s)#.*");

    private final List<String> problems = new ArrayList<>();
    private final Map<Option, Text> fromFile = new EnumMap<>(Option.class);
    private final Map<Option, Text> fromEnvironment = new EnumMap<>(Option.class);
    private final Map<Option, Text> fromAssignments = new EnumMap<>(Option.class);

    void addFile(Path file) {
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (IOException e) {
            problems.add("cannot read the configuration file " + file + ": " + Shortage.describe(e, file));
            return;
        }
        for (int i = 0; i < lines.size(); i++) {
            String line = COMMENT.matcher(lines.get(i)).replaceFirst("").strip();
            if (!line.isEmpty()) {
                addLine(fromFile, line, "file " + file + ":" + (i + 1));
            }
        }
    }

    void addEnvironment(Map<String, String> environment) {
        Map<String, String> jobVariables = JobVariables.describe();
        new TreeMap<>(environment).forEach((variable, value) -> {
            if (!variable.startsWith(JobVariables.PREFIX) || jobVariables.containsKey(variable)) {
                return;
            }
            Option option = Option.byVariable(variable);
            if (option != null) {
                fromEnvironment.put(option, new Text(value.strip(), "environment " + variable));
            } else {
                List<String> known = new ArrayList<>(Option.variables());
                known.addAll(jobVariables.keySet());
                problems.add("unknown environment variable " + variable + Nearest.hint(variable, known));
            }
        });
    }

    void addAssignment(String keyAndValue) {
        addLine(fromAssignments, keyAndValue, "set");
    }

    /** Makes settings of values and where they came from; throws {@link ConfigException} with all problems. */
    <S> S resolve(BiFunction<Map<Option, Object>, Map<Option, String>, S> maker, Consumer<S> check) {
        Map<Option, Object> values = new EnumMap<>(Option.class);
        Map<Option, String> sources = new EnumMap<>(Option.class);
        List<String> found = new ArrayList<>(problems);
        WaitPreset preset = WaitPreset.SHARED;
        for (Option option : Option.values()) {
            Text text = textOf(option, preset);
            try {
                values.put(option, option.kind().parse(text.value));
                sources.put(option, text.source);
            } catch (ConfigException e) {
                found.add(option.key() + ": " + e.getMessage() + " (" + text.source + ")");
            }
            if (option == Option.WAIT_PRESET && values.get(option) instanceof WaitPreset chosen) {
                preset = chosen;
            }
        }
        checkTogether(values, found);
        for (Option option : Option.values()) { // nothing is missing when nothing is wrong
            values.putIfAbsent(option, option.kind().parse(option.defaultText(preset)));
        }
        S settings = maker.apply(values, sources);
        try {
            check.accept(settings);
        } catch (ConfigException e) {
            found.addAll(e.problems());
        }
        if (!found.isEmpty()) {
            throw new ConfigException(found);
        }
        return settings;
    }

    private Text textOf(Option option, WaitPreset preset) {
        for (Map<Option, Text> texts : List.of(fromAssignments, fromEnvironment, fromFile)) {
            if (texts.containsKey(option)) {
                return texts.get(option);
            }
        }
        return new Text(option.defaultText(preset),
            option.dependsOnPreset() ? "default of wait.preset" : "default");
    }

    private static void checkTogether(Map<Option, Object> values, List<String> found) {
        Object port = values.get(Option.SERVER_PORT);
        if (port instanceof Long number && number > 0 && number.equals(values.get(Option.SERVER_METRICS_PORT))) {
            found.add("server.port and server.metrics-port are both " + port + "; they need ports of their own");
        }
        if (isSet(values, Option.SERVER_INTERFACE) && isSet(values, Option.SERVER_BIND_ADDRESS)) {
            found.add("server.interface = " + values.get(Option.SERVER_INTERFACE) + " and server.bind-address = "
                + values.get(Option.SERVER_BIND_ADDRESS) + " are both set; give one");
        }
        if (values.get(Option.COOPERATION_GROUP_SIZE) instanceof Long size && size > 0
            && values.get(Option.COOPERATION_GROUPS) instanceof String groups && !groups.equals(Option.CONSECUTIVE)) {
            found.add("cooperation.group-size = " + size + " and cooperation.groups = " + groups
                + " are both set; give one");
        }
        if (values.get(Option.NETWORK_FABRIC) instanceof NetworkFabric fabric && fabric != NetworkFabric.NONE
            && fabric != NetworkFabric.AUTO) {
            checkFabric(fabric, values, found);
        }
        Option bulk = Option.COOPERATION_BULK_THRESHOLD;
        if (values.get(Option.COOPERATION_CHANNEL_BYTES) instanceof Long block
            && values.get(bulk) instanceof Long bytes && bytes > block / 4) {
            found.add(bulk.key() + " = " + bulk.kind().format(bytes) + " is more than a quarter of "
                + Option.COOPERATION_CHANNEL_BYTES.key() + " = " + bulk.kind().format(block));
        }
    }

    private static void checkFabric(NetworkFabric fabric, Map<Option, Object> values, List<String> found) {
        String wanted = "network.fabric = " + Option.NETWORK_FABRIC.kind().format(fabric);
        Object encryption = values.get(Option.NETWORK_ENCRYPTION);
        if (encryption != null && encryption != NetworkEncryption.NONE) {
            found.add(wanted + " moves data in the clear, and network.encryption = "
                + Option.NETWORK_ENCRYPTION.kind().format(encryption) + " does not allow that; give one");
        }
        Object mode = values.get(Option.COOPERATION_MODE);
        if (mode != null && mode != CooperationMode.NONE) {
            found.add(wanted + " goes from ranks directly to servers, and cooperation.mode = "
                + Option.COOPERATION_MODE.kind().format(mode) + " does not; give one");
        }
    }

    private static boolean isSet(Map<Option, Object> values, Option text) {
        return values.get(text) instanceof String value && !value.equals(text.defaultText(WaitPreset.SHARED));
    }

    private void addLine(Map<Option, Text> texts, String line, String source) {
        int equals = line.indexOf('=');
        if (equals < 0) {
            problems.add("'" + line + "' is not of the form key=value (" + source + ")");
            return;
        }
        String key = line.substring(0, equals).strip();
        Option option = Option.byKey(key);
        if (option == null) {
            problems.add("unknown key '" + key + "'" + Nearest.hint(key, Option.keys()) + " (" + source + ")");
        } else {
            texts.put(option, new Text(line.substring(equals + 1).strip(), source));
        }
    }

    private record Text(String value, String source) {
    }
}

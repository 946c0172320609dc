package org.tributary.benchmarks.results;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.Strictness;
import com.google.gson.ToNumberPolicy;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tributary.config.ConfigException;
import org.tributary.config.Nearest;

/** Reads, checks and writes files of results. Numbers keep the digits that they have. */
public final class ResultFiles {
    private static final int WIDTH = 120;
    private static final String SUFFIX = ".json";
    private static final Gson GSON = new GsonBuilder().setStrictness(Strictness.STRICT).disableHtmlEscaping()
        .setObjectToNumberStrategy(ToNumberPolicy.BIG_DECIMAL).create();

    private ResultFiles() {
    }

    /**
     * Those of a folder, in the order of their names.
     *
     * @throws ConfigException with every problem that any of them has
     */
    public static List<Results> readAll(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new ConfigException("no folder " + folder + ": name that of the results with --results");
        }
        List<Path> files;
        try (Stream<Path> all = Files.list(folder)) {
            files = all.filter(file -> file.toString().endsWith(SUFFIX)).sorted().toList();
        }
        if (files.isEmpty()) {
            throw new ConfigException("no *" + SUFFIX + " in " + folder
                + ": write one with 'tributary bench NAME --json FILE'");
        }
        List<Results> results = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (Path file : files) {
            try {
                results.add(read(file));
            } catch (ConfigException e) {
                problems.addAll(e.problems());
            }
        }
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
        return results;
    }

    /**
     * One of them.
     *
     * @throws ConfigException with every problem that it has
     */
    public static Results read(Path file) throws IOException {
        if (!Files.isReadable(file)) {
            throw new ConfigException("no readable file " + file);
        }
        List<String> problems = new ArrayList<>();
        Results results = null;
        try {
            JsonElement tree = GSON.fromJson(Files.readString(file), JsonElement.class);
            findUnknown(tree, Results.class, "", problems);
            results = problems.isEmpty() ? GSON.fromJson(tree, Results.class) : null;
        } catch (JsonParseException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            problems.add("no JSON of this form: " + cause.getMessage().lines().findFirst().orElse(""));
        }
        if (results != null) {
            problems.addAll(new ResultCheck(results, nameOf(file)).problems());
        } else if (problems.isEmpty()) {
            problems.add("empty, as a run leaves it that ended early: remove it, or measure again");
        }
        if (!problems.isEmpty()) {
            throw new ConfigException(problems.stream().map(problem -> file + ": " + problem).toList());
        }
        return results;
    }

    /** {@code one-sided} of {@code docs/results/one-sided.json}. */
    static String nameOf(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : name;
    }

    private static void findUnknown(JsonElement tree, Type type, String at, List<String> problems) {
        if (type instanceof ParameterizedType list && tree.isJsonArray()) {
            int index = 0;
            for (JsonElement element : tree.getAsJsonArray()) {
                String where = at + "[" + index++ + "]";
                if (element.isJsonNull() && list.getActualTypeArguments()[0] != Object.class) {
                    problems.add(where + " is null");
                }
                findUnknown(element, list.getActualTypeArguments()[0], where, problems);
            }
        } else if (type instanceof Class<?> form && form.isRecord() && tree != null && tree.isJsonObject()) {
            List<RecordComponent> known = List.of(form.getRecordComponents());
            List<String> names = known.stream().map(RecordComponent::getName).toList();
            tree.getAsJsonObject().entrySet().forEach(member -> {
                int index = names.indexOf(member.getKey());
                String where = at.isEmpty() ? member.getKey() : at + "." + member.getKey();
                if (index < 0) {
                    problems.add("unknown field '" + where + "'" + Nearest.hint(member.getKey(), names));
                } else {
                    findUnknown(member.getValue(), known.get(index).getGenericType(), where, problems);
                }
            });
        }
    }

    /** Its text: what fits into a line is on one. */
    static String text(Results results) {
        return lines(GSON.toJsonTree(results), "", 0) + "\n";
    }

    private static String lines(JsonElement element, String indent, int before) {
        String line = line(element);
        if (before + line.length() < WIDTH && !line.contains("[[")) {
            return line;
        }
        String inner = indent + "  ";
        return joined(element, "\n" + inner, "\n" + inner, "\n" + indent,
            (name, each) -> lines(each, inner, inner.length() + name.length()));
    }

    private static String line(JsonElement element) {
        return joined(element, "", " ", "", (name, each) -> line(each));
    }

    /** The text of parts between brackets; {@code text} is given what stands before the part on its line, too. */
    private static String joined(JsonElement element, String before, String between, String after,
            BiFunction<String, JsonElement, String> text) {
        return switch (element) {
            case JsonArray array -> array.asList().stream().map(each -> text.apply("", each))
                .collect(Collectors.joining("," + between, "[" + before, after + "]"));
            case JsonObject object -> object.entrySet().stream().map(member -> {
                String name = GSON.toJson(member.getKey()) + ": ";
                return name + text.apply(name, member.getValue());
            }).collect(Collectors.joining("," + between, "{" + before, after + "}"));
            default -> GSON.toJson(element);
        };
    }
}

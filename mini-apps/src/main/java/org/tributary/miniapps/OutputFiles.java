package org.tributary.miniapps;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.tributary.client.Gas;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** Looks at the files of a command line that are each an {@link OutputFile}. */
final class OutputFiles {
    private static final int MOST_LINKS = 40;

    private OutputFiles() {
    }

    /**
     * Refuses the first that cannot be made, or that another option names too, on all ranks; collective.
     *
     * @param inputs files that are read, by the options that name them
     */
    static void check(CommandSpec spec, Gas gas, Map<String, String> inputs) {
        List<OptionSpec> given = spec.options().stream()
            .filter(option -> annotation(option) != null && option.getValue() != null).toList();
        if (given.isEmpty()) {
            return; // on all ranks
        }
        String problem = Agreement.share(gas, 0, gas.rank() == 0 ? problem(given, inputs) : "");
        if (!problem.isEmpty()) {
            throw new ParameterException(spec.commandLine(), problem);
        }
    }

    private static OutputFile annotation(OptionSpec option) {
        return option.userObject() instanceof Field field ? field.getAnnotation(OutputFile.class) : null;
    }

    /** On rank 0; empty if there is none. */
    private static String problem(List<OptionSpec> given, Map<String, String> inputs) {
        for (int i = 0; i < given.size(); i++) {
            OptionSpec option = given.get(i);
            if (!canBeMade(option)) {
                return option.longestName() + ": " + option.getValue()
                    + ": rank 0 cannot make it on its host: there is no such folder, or it may not write there";
            }
            for (OptionSpec other : given.subList(0, i)) {
                if (isSame(other.getValue(), option.getValue())) {
                    return same(option, other.longestName(), "one would replace the other");
                }
            }
            for (Map.Entry<String, String> input : inputs.entrySet()) {
                if (isInput(option.getValue(), input.getValue())) {
                    return same(option, input.getKey(), "it would be replaced");
                }
            }
        }
        return "";
    }

    private static String same(OptionSpec option, String other, String harm) {
        return option.longestName() + ": " + option.getValue() + ": " + other + " names the same file, and " + harm
            + "; another file would fit";
    }

    private static boolean isInput(Path output, String input) {
        try {
            return isSame(output, Path.of(input));
        } catch (InvalidPathException e) {
            return false; // which is said when it is read
        }
    }

    private static boolean canBeMade(OptionSpec option) {
        Path file = option.getValue();
        if (Files.isDirectory(file)) {
            return false;
        }
        if (!annotation(option).isReplaced() && Files.exists(file)) {
            return Files.isWritable(file);
        }
        Path place = place(file);
        Path folder = place.getParent();
        return folder != null && Files.isDirectory(folder) && Files.isWritable(folder)
            && !Files.isSymbolicLink(place);
    }

    /** Whether two options write over each other; a device or a pipe takes what both write. */
    private static boolean isSame(Path one, Path other) {
        try {
            if (Files.exists(one) && Files.exists(other)) {
                return Files.isSameFile(one, other) && Files.isRegularFile(one);
            }
        } catch (IOException e) {
            // Their names will tell.
        }
        return place(one).equals(place(other));
    }

    /** Where a new file comes into being: at the end of symbolic links. */
    private static Path place(Path file) {
        Path place = file.toAbsolutePath();
        try {
            for (int links = 0; links < MOST_LINKS && Files.isSymbolicLink(place); links++) {
                place = place.resolveSibling(Files.readSymbolicLink(place));
            }
            Path folder = place.getParent();
            return folder == null ? place : folder.toRealPath().resolve(place.getFileName());
        } catch (IOException e) {
            return place; // of a folder that is not there, or a link that cannot be read
        }
    }
}

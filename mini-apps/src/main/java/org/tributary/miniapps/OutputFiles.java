package org.tributary.miniapps;

import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.tributary.client.Gas;
import org.tributary.wire.shape.ReduceOp;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** Looks at the files of a command line that are each an {@link OutputFile}. */
final class OutputFiles {
    private OutputFiles() {
    }

    /** Refuses the first that cannot be made, on all ranks; collective. */
    static void check(CommandSpec spec, Gas gas) {
        List<OptionSpec> given = spec.options().stream()
            .filter(option -> annotation(option) != null && option.getValue() != null).toList();
        if (given.isEmpty()) {
            return; // on all ranks
        }
        int first = 0;
        while (gas.rank() == 0 && first < given.size() && canBeMade(given.get(first))) {
            first++;
        }
        long bad = gas.world().allreduce(ReduceOp.MIN, gas.rank() == 0 ? first : Long.MAX_VALUE);
        if (bad < given.size()) {
            OptionSpec option = given.get((int) bad);
            throw new ParameterException(spec.commandLine(), option.longestName() + ": " + option.getValue()
                + ": rank 0 cannot make it on its host: there is no such folder, or it may not write there");
        }
    }

    private static OutputFile annotation(OptionSpec option) {
        return option.userObject() instanceof Field field ? field.getAnnotation(OutputFile.class) : null;
    }

    private static boolean canBeMade(OptionSpec option) {
        Path file = option.getValue();
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || !Files.isDirectory(folder) || Files.isDirectory(file)) {
            return false;
        }
        return !annotation(option).isReplaced() && Files.exists(file) ? Files.isWritable(file)
            : Files.isWritable(folder);
    }
}

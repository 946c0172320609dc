package org.tributary.miniapps;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.tributary.client.Gas;
import org.tributary.config.Json;
import org.tributary.wire.shape.ReduceOp;
import picocli.CommandLine.Option;

/** The option {@code --json} of programs, as a mixin: figures of a run as one JSON object in a file. */
public final class JsonOption {
    @OutputFile
    @Option(names = "--json", paramLabel = "FILE",
        description = "Write the figures to this file as a JSON object; rank 0 does, on its host.")
    private Path file;

    /** The first figures of every program, to which it adds its own. */
    public static Map<String, Object> figures(String program, Gas gas) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("program", program);
        figures.put("ranks", gas.rankCount());
        figures.put("nodes", gas.nodeCount());
        return figures;
    }

    /**
     * Writes figures, which end with whether the answer is right, if a file is wanted; collective.
     *
     * @return whether it is and nothing went wrong, the same on every rank
     */
    public boolean write(Gas gas, Map<String, Object> figures, boolean right) {
        figures.put("verified", right);
        return write(gas, figures) && right;
    }

    /**
     * Writes figures of an answer that was not verified if a file is wanted; collective. A file that cannot be written
     * is reported on standard error.
     *
     * @return whether nothing went wrong, the same on every rank
     */
    public boolean write(Gas gas, Map<String, Object> figures) {
        if (file == null) {
            return true;
        }
        boolean written = true;
        if (gas.rank() == 0) {
            try {
                Files.writeString(file, Json.of(figures) + System.lineSeparator());
            } catch (IOException e) {
                System.err.println("cannot write the figures to " + file + ": " + e);
                written = false;
            }
        }
        return gas.world().allreduce(ReduceOp.MIN, written ? 1 : 0) == 1;
    }
}

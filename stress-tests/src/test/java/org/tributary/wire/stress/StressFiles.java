package org.tributary.wire.stress;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files of a stress test, gone with its process. */
final class StressFiles {
    private StressFiles() {
    }

    /** A folder in which there will be one file of that name. */
    static Path folderFor(String name) {
        try {
            Path folder = Files.createTempDirectory("tributary-stress-");
            File[] gone = {folder.toFile(), folder.resolve(name).toFile()};
            for (File each : gone) {
                each.deleteOnExit();
            }
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

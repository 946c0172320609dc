package org.tributary.release;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The archive that the build has made. */
final class Archive {
    private Archive() {
    }

    static Path file() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("release.archives")))) {
            List<Path> archives = files.filter(file -> file.toString().endsWith(".tar.gz")).toList();
            assertEquals(1, archives.size(), archives::toString);
            return archives.getFirst();
        }
    }

    /** Unpacks it below {@code directory}; returns its own folder. */
    static Path unpack(Path directory) throws IOException, InterruptedException {
        Container.Output output = Container.run(List.of("tar", "-xzf", file().toString()), directory);
        assertEquals(0, output.code(), output.text());
        return directory.resolve(file().getFileName().toString().replace(".tar.gz", ""));
    }
}

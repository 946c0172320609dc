package org.tributary.release;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.testsupport.ToleratesErrors;

/** The image that {@code Dockerfile} describes, built without a network on files of this Debian. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
@ToleratesErrors("Deleting symbolic link from location inside of temp dir") // the image's own links
class ImageTest {
    private static final Path SCRIPT = Path.of("src/test/sh/image.sh").toAbsolutePath();

    @TempDir
    private Path work;

    @Test
    void shouldRunAJobAsAnOrdinaryUserWhenTheImageIsBuilt() throws Exception {
        Container.assumePossible();
        for (String program : List.of("buildah", "dpkg")) {
            Container.assumeProgram(program);
        }
        Path folder = Files.createDirectory(work.resolve("image"));
        Container.Output output = Container.run(List.of("unshare", "-m", SCRIPT.toString(),
            Path.of("Dockerfile").toAbsolutePath().toString(), Archive.file().toString(), folder.toString(), "sh", "-c",
            "id -un; tributary --version; tributary run --nodes 2 matmul --size 64"
                + "; \"$TRIBUTARY_HOME/lib/tributary/runtime/bin/java\" $(tributary jvm-options)"
                + " org.tributary.client.rehearsal.Rehearsal && echo a rank alone"), work);
        assertEquals(0, output.code(), output.text());
        assertTrue(output.text().lines().anyMatch("tributary"::equals), output.text());
        assertTrue(output.text().contains("tributary " + System.getProperty("release.version") + " (commit "),
            output.text());
        assertTrue(output.text().contains(": passed"), output.text());
        assertTrue(output.text().lines().anyMatch("a rank alone"::equals), output.text());
    }
}

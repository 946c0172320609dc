import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.tributary.config.OptionsHeader;
import org.tributary.wire.shm.LayoutHeader;

/** Writes what the C client must have like the Java one, but for the codecs: settings, and places in shared memory. */
class Headers {
    public static void main(String[] folder) throws IOException {
        Path to = Files.createDirectories(Path.of(folder[0]));
        Files.writeString(to.resolve("layout.h"), LayoutHeader.text());
        Files.writeString(to.resolve("options.h"), OptionsHeader.text());
    }
}

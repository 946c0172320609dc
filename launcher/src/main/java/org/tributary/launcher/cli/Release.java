package org.tributary.launcher.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** Version and commit of this program. Agents ask for it, which do without what parses command lines. */
final class Release {
    private Release() {
    }

    /** All processes of one job have to have it in common. */
    static String text() {
        Properties build = new Properties();
        try (InputStream in = Release.class.getResourceAsStream("version.properties")) {
            build.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return build.getProperty("version") + " (commit " + build.getProperty("commit") + ")";
    }
}

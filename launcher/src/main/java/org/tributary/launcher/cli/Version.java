package org.tributary.launcher.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** Version and commit of this program, and the JDK that runs it, which is that of Java ranks too. */
public final class Version implements IVersionProvider {
    /** Version and commit, which all processes of one job have to have in common. */
    public static String release() {
        Properties build = new Properties();
        try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
            build.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return build.getProperty("version") + " (commit " + build.getProperty("commit") + ")";
    }

    @Override
    public String[] getVersion() {
        return new String[] {"tributary " + release(),
            "Java " + Runtime.version() + ", " + System.getProperty("os.name") + " " + System.getProperty("os.arch")
                + ", " + System.getProperty("java.home")};
    }
}

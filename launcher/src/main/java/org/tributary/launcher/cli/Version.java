package org.tributary.launcher.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** What was built, from which commit, and the JDK that runs it, which is that of Java ranks too. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
        Properties build = new Properties();
        try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
            build.load(in);
        }
        return new String[] {
            "tributary " + build.getProperty("version") + " (commit " + build.getProperty("commit") + ")",
            "Java " + Runtime.version() + ", " + System.getProperty("os.name") + " " + System.getProperty("os.arch")
                + ", " + System.getProperty("java.home")};
    }
}

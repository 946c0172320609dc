package org.tributary.launcher.cli;

import picocli.CommandLine.IVersionProvider;

/** Version and commit of this program, and the JDK that runs it, which is that of Java ranks too. */
public final class Version implements IVersionProvider {
    /** Version and commit, which all processes of one job have to have in common. */
    public static String release() {
        return Release.text();
    }

    @Override
    public String[] getVersion() {
        return new String[] {"tributary " + release(),
            "Java " + Runtime.version() + ", " + System.getProperty("os.name") + " " + System.getProperty("os.arch")
                + ", " + System.getProperty("java.home")};
    }
}

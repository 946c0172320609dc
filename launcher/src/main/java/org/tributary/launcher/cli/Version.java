package org.tributary.launcher.cli;

import picocli.CommandLine.IVersionProvider;

/** Read from the jar, which the build stamps; classes run without one are under development. */
final class Version implements IVersionProvider {
    /** What the processes of one job have to have in common. */
    static String release() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "(development)" : version;
    }

    @Override
    public String[] getVersion() {
        return new String[] {"tributary " + release(),
            "Java " + Runtime.version() + ", " + System.getProperty("os.name") + " " + System.getProperty("os.arch")};
    }
}

package org.tributary.launcher.cli;

import picocli.CommandLine.IVersionProvider;

/** Read from the jar, which the build stamps; classes run without one are under development. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = Version.class.getPackage().getImplementationVersion();
        return new String[] {"tributary " + (version == null ? "(development)" : version),
            "Java " + Runtime.version() + ", " + System.getProperty("os.name") + " " + System.getProperty("os.arch")};
    }
}

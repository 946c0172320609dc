package org.tributary.launcher.host;

/** Who has said which hosts there are, and how many ranks each may have. */
public enum HostSource {
    OPTION("--hosts %1$s:%2$d"),
    FILE("'%1$s slots=%2$d' in the file of hosts"),
    SLURM("--hosts %1$s:%2$d, or ask Slurm for more with --ntasks-per-node=%2$d"),
    PBS("--hosts %1$s:%2$d, or ask PBS for more with mpiprocs=%2$d");

    private final String remedy;

    HostSource(String remedy) {
        this.remedy = remedy;
    }

    /** How the user allows so many ranks on a host. */
    String remedy(String host, int ranks) {
        boolean isIpv6 = this != FILE && host.contains(":");
        return remedy.formatted(isIpv6 ? host.replaceFirst("([^@]*)$", "[$1]") : host, ranks);
    }
}

package org.tributary.launcher.host;

/** Who has said which hosts there are, and how many ranks each may have. */
public enum HostSource {
    OPTION("--hosts %1$s:%2$d", "name %d more with --hosts"),
    FILE("'%1$s slots=%2$d' in the file of hosts", "name %d more in the file of hosts"),
    SLURM("--hosts %1$s:%2$d, or ask Slurm for more with --ntasks-per-node=%2$d", "ask Slurm for %d more with --nodes"),
    PBS("--hosts %1$s:%2$d, or ask PBS for more with mpiprocs=%2$d", "ask PBS for %d more with select");

    private final String remedy;
    private final String moreHosts;

    HostSource(String remedy, String moreHosts) {
        this.remedy = remedy;
        this.moreHosts = moreHosts;
    }

    /** How the user gets so many more hosts, or does with those that are there. */
    String moreHosts(int count) {
        return moreHosts.formatted(count) + ", or use fewer nodes";
    }

    /** How the user allows so many ranks on a host. */
    String remedy(String host, int ranks) {
        boolean isIpv6 = this != FILE && host.contains(":");
        return remedy.formatted(isIpv6 ? host.replaceFirst("([^@]*)$", "[$1]") : host, ranks);
    }
}

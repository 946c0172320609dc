package org.tributary.launcher.doctor;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tributary.config.Shortage;

/** Shared memory, where segments live, and the directory for temporary files. */
final class MemoryCheck implements Check {
    /** Others in memory do not do: hugetlbfs cannot be written to, and ramfs does not say how much is free. */
    private static final String IN_MEMORY = "tmpfs";
    private static final long FEW_BYTES = 256 * Amounts.MIB;
    private static final long NO_BYTES = 16 * Amounts.MIB;

    @Override
    public List<Finding> look(Machine machine) {
        List<Finding> findings = new ArrayList<>();
        Path shared = machine.settings().shmDirectory();
        Mount mount = Mount.of(machine, shared);
        String enlarge = "mount -o remount,size=… " + mount.point() + "; in a container docker run --shm-size=…;"
            + " or remove what fills it (tributary clean)";
        findings.add(IN_MEMORY.equals(mount.type())
            ? Finding.ok("shared memory", mount.toString(), "on a " + IN_MEMORY)
            : Finding.error("shared memory", shared + ", " + mount, "on a " + IN_MEMORY,
                "set shm.directory to a directory on a tmpfs, such as /dev/shm"));
        findings.add(space(machine, "free shared memory", shared, mount, enlarge));
        Path temporary = machine.ask().temporaryDirectory();
        Mount of = Mount.of(machine, temporary);
        findings.add(space(machine, "temporary directory", temporary, of,
            "free some, or name another in JDK_JAVA_OPTIONS=-Djava.io.tmpdir=…"));
        if (of.options().contains("noexec")) {
            findings.add(Finding.warning("libraries in the temporary directory", temporary + " is mounted noexec",
                "may hold libraries to load",
                "name another in JDK_JAVA_OPTIONS=-Djava.io.tmpdir=…: with network.fabric, ranks and servers load jffi"
                    + " from there, and servers that are no part of a distribution Netty's native library"));
        }
        return findings;
    }

    private static Finding space(Machine machine, String subject, Path directory, Mount mount, String remedy) {
        if (mount.options().contains("ro")) {
            return Finding.error(subject, directory + " is mounted read-only", "writable", remedy);
        }
        try {
            return Finding.atLeast(subject, machine.ask().freeBytes(directory), Amounts.BYTES, FEW_BYTES, NO_BYTES,
                remedy);
        } catch (IOException e) {
            return Finding.error(subject, directory + " cannot be used: " + Shortage.describe(e, directory), "writable",
                remedy);
        }
    }
}

package org.tributary.launcher.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/** Limits of control groups, of version 1 and 2, of this process's group and all above it. */
final class ControlGroupCheck implements Check {
    private static final String ROOT = "/sys/fs/cgroup";
    /** Version 1 has a number near the largest where nothing is limited. */
    private static final long UNLIMITED = 1L << 60;
    private static final long FEW_BYTES = 2 * Amounts.GIB;
    private static final long NO_BYTES = 512 * Amounts.MIB;

    @Override
    public List<Finding> look(Machine machine) {
        List<Finding> findings = new ArrayList<>();
        long memory = Math.min(least(machine, "memory", "memory.max"),
            least(machine, "memory", "memory.limit_in_bytes"));
        findings.add(Finding.atLeast("memory of the control group", memory, Amounts.BYTES, FEW_BYTES, NO_BYTES,
            "ask for more (docker run --memory, sbatch --mem, MemoryMax= of systemd); shared memory counts, too"));
        findings.add(Finding.atLeast("processes left in the control group", left(machine), "", 1024,
            128, "ask for more (docker run --pids-limit, TasksMax= of systemd); threads count, too"));
        findings.add(processors(machine));
        return findings;
    }

    private static Finding processors(Machine machine) {
        double quota = Double.MAX_VALUE;
        for (String group : groups(machine, "cpu")) {
            String[] max = machine.text(group + "/cpu.max").split(" ");
            if (max.length == 2 && max[0].matches("\\d{1,15}") && max[1].matches("\\d{1,15}")) {
                quota = Math.min(quota, Double.parseDouble(max[0]) / Double.parseDouble(max[1]));
            }
            OptionalLong old = machine.number(group + "/cpu.cfs_quota_us");
            OptionalLong period = machine.number(group + "/cpu.cfs_period_us");
            if (old.orElse(-1) > 0 && period.orElse(0) > 0) {
                quota = Math.min(quota, (double) old.getAsLong() / period.getAsLong());
            }
        }
        int cores = machine.ask().processors();
        String subject = "processor time of the control group";
        if (quota == Double.MAX_VALUE) {
            return Finding.ok(subject, "unlimited, " + cores + " processors", "");
        }
        String measured = String.format(Locale.ROOT, "%.2f of %d processors", quota, cores);
        return quota >= cores ? Finding.ok(subject, measured, "no quota")
            : Finding.warning(subject, measured, "no quota", "give whole processors (docker run --cpuset-cpus) instead"
                + " of a quota (--cpus): a server or rank that has used its share stands still for up to 100 ms");
    }

    /** Processes that may still be started; memory is another thing, as what files take of it is given back. */
    private static long left(Machine machine) {
        long least = Long.MAX_VALUE;
        for (String group : groups(machine, "pids")) {
            long most = machine.number(group + "/pids.max").orElse(Long.MAX_VALUE);
            long now = machine.number(group + "/pids.current").orElse(0);
            least = Math.min(least, most >= UNLIMITED ? Long.MAX_VALUE : Math.max(0, most - now));
        }
        return least;
    }

    private static long least(Machine machine, String controller, String file) {
        long least = Long.MAX_VALUE;
        for (String group : groups(machine, controller)) {
            long value = machine.number(group + "/" + file).orElse(Long.MAX_VALUE);
            least = Math.min(least, value >= UNLIMITED ? Long.MAX_VALUE : value);
        }
        return least;
    }

    /** Directories of this process's group and of those above it, in each hierarchy that may have the controller. */
    private static List<String> groups(Machine machine, String controller) {
        List<String> groups = new ArrayList<>();
        for (String line : machine.text("/proc/self/cgroup").lines().toList()) {
            String[] fields = line.split(":", 3);
            if (fields.length < 3) {
                continue;
            }
            boolean isSecond = fields[1].isEmpty();
            boolean isFirst = List.of(fields[1].split(",")).contains(controller);
            for (String mount : isSecond ? List.of(ROOT, ROOT + "/unified")
                    : isFirst ? List.of(ROOT + "/" + fields[1], ROOT + "/" + controller) : List.<String>of()) {
                for (String path = fields[2]; !path.isEmpty(); path = path.substring(0, path.lastIndexOf('/'))) {
                    groups.add(path.equals("/") ? mount : mount + path);
                }
                groups.add(mount);
            }
        }
        return groups;
    }
}

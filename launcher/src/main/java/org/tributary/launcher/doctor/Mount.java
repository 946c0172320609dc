package org.tributary.launcher.doctor;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** A line of {@code /proc/mounts}. */
record Mount(String point, String type, List<String> options) {
    /** The mount that holds a directory: the longest of those above it, and of these the last. */
    static Mount of(Machine machine, Path directory) {
        Mount found = new Mount("/", "unknown", List.of());
        for (String line : machine.text("/proc/mounts").lines().toList()) {
            String[] fields = line.split(" ");
            if (fields.length > 3 && directory.startsWith(fields[1]) && fields[1].length() >= found.point.length()) {
                found = new Mount(fields[1], fields[2], Arrays.asList(fields[3].split(",")));
            }
        }
        return found;
    }

    @Override
    public String toString() {
        return type + " at " + point;
    }
}

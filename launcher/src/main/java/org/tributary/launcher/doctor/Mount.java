package org.tributary.launcher.doctor;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A line of {@code /proc/mounts}. */
record Mount(String point, String type, List<String> options) {
    private static final Pattern OCTAL = Pattern.compile("\\\\([0-7]{3})");
    private static final int RADIX = 8;

    /** The mount that holds a directory: the longest of those above where it really is, and of these the last. */
    static Mount of(Machine machine, Path directory) {
        Path real = machine.real(directory);
        Mount found = new Mount("/", "unknown", List.of());
        for (String line : machine.text("/proc/mounts").lines().toList()) {
            String[] fields = line.split(" ");
            String point = fields.length > 3 ? decoded(fields[1]) : "";
            if (!point.isEmpty() && real.startsWith(point) && point.length() >= found.point.length()) {
                found = new Mount(point, fields[2], Arrays.asList(fields[3].split(",")));
            }
        }
        return found;
    }

    /** White space and backslashes are told by their numbers (fstab(5)). */
    private static String decoded(String field) {
        return OCTAL.matcher(field).replaceAll(code -> Matcher.quoteReplacement(
            Character.toString(Integer.parseInt(code.group(1), RADIX))));
    }

    @Override
    public String toString() {
        return type + " at " + point;
    }
}

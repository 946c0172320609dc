package org.tributary.launcher.doctor;

import java.util.LinkedHashMap;
import java.util.Map;
import org.tributary.config.EnumText;

/**
 * One result of a check.
 *
 * @param subject  what was looked at
 * @param measured what it is
 * @param limit    what it should be; empty when nothing is asked of it
 * @param remedy   what to do; empty when it is well
 */
public record Finding(Level level, String subject, String measured, String limit, String remedy) {
    private static final String PLACE = "where servers listen";
    private static final String NAMES = "name service";

    /** How bad it is. */
    public enum Level { OK, WARNING, ERROR }

    /** As it should be. */
    public static Finding ok(String subject, String measured, String limit) {
        return new Finding(Level.OK, subject, measured, limit, "");
    }

    /** A problem that makes jobs slow, or large ones fail. */
    public static Finding warning(String subject, String measured, String limit, String remedy) {
        return new Finding(Level.WARNING, subject, measured, limit, remedy);
    }

    /** A server can listen at that port, or at any if it is 0. */
    static Finding portFree(int port) {
        return ok(PLACE, port == 0 ? "any port (server.port = 0)" : "port " + port + " (server.port)", "free");
    }

    /** A server cannot listen where it is to, and why. */
    public static Finding portUnusable(String problem) {
        return error(PLACE, problem, "free", "another server.port, or end what listens there; or an interface or"
            + " address that 'ip addr' lists");
    }

    /** Nobody tells the addresses of names, and of which. */
    public static Finding namesUnanswered(String problem) {
        return warning(NAMES, problem, "an answer", "look at the servers in /etc/resolv.conf, or add lines to"
            + " /etc/hosts; until then ssh and starts of jobs wait for each name");
    }

    /** Whether that is it. */
    public boolean isOfUnansweredNames() {
        return subject.equals(NAMES);
    }

    /** A problem that keeps jobs from starting. */
    public static Finding error(String subject, String measured, String limit, String remedy) {
        return new Finding(Level.ERROR, subject, measured, limit, remedy);
    }

    /** A number that must not be below {@code error} and should not be below {@code warning}. */
    static Finding atLeast(String subject, long measured, String unit, long warning, long error, String remedy) {
        String value = measured == Long.MAX_VALUE ? "unlimited" : Amounts.of(measured, unit);
        String limit = "at least " + Amounts.of(warning, unit);
        return measured >= warning ? ok(subject, value, limit)
            : measured >= error ? warning(subject, value, limit, remedy)
            : error(subject, value, "at least " + Amounts.of(error, unit), remedy);
    }

    /**
     * A line, and a second one for a remedy.
     *
     * @param width of the column of subjects
     * @param where comes before what was measured
     */
    String text(int width, String where) {
        String line = String.format("%-8s %-" + width + "s  %s%s%s%n", EnumText.underscored(level), subject,
            where, measured, limit.isEmpty() ? "" : " (" + limit + ")");
        return remedy.isEmpty() ? line : line + " ".repeat(9) + "-> " + remedy + "\n";
    }

    /** For JSON. */
    Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("level", EnumText.underscored(level));
        fields.put("subject", subject);
        fields.put("measured", measured);
        fields.put("limit", limit);
        fields.put("remedy", remedy);
        return fields;
    }
}

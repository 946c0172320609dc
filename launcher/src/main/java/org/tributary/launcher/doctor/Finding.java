package org.tributary.launcher.doctor;

/**
 * What a check has found.
 *
 * @param subject  what was looked at
 * @param measured what it is
 * @param limit    what it should be; empty when nothing is asked of it
 * @param remedy   what to do; empty when it is well
 */
public record Finding(Level level, String subject, String measured, String limit, String remedy) {
    /** How bad it is. */
    public enum Level { OK, WARNING, ERROR }

    static Finding ok(String subject, String measured, String limit) {
        return new Finding(Level.OK, subject, measured, limit, "");
    }

    static Finding warning(String subject, String measured, String limit, String remedy) {
        return new Finding(Level.WARNING, subject, measured, limit, remedy);
    }

    static Finding error(String subject, String measured, String limit, String remedy) {
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
}

package org.tributary.launcher.job;

import java.util.Map;

/**
 * A JVM takes the encoding of arguments, variables and names of files from the locale, and changes what that cannot
 * say. So where the user's has ASCII alone, as in batch jobs, cron and containers, {@code start.sh} starts ours with
 * another one, and so do {@code AgentLinks}, wherever they start an agent. Stateless.
 */
public final class UserLocale {
    /** In front of a command: it has a locale that can say every name. */
    public static final String COMPLETE = "LC_ALL=C.UTF-8";

    private static final String VARIABLE = "LC_ALL";
    /** What the user's variable said, if {@code start.sh} has replaced it; empty when there was none. */
    private static final String REPLACED = "tributary.lc-all";

    private UserLocale() {
    }

    /** Gives what the user's programs are to inherit from this process their own locale again. */
    public static void restore(Map<String, String> environment) {
        String own = System.getProperty(REPLACED);
        if (own != null && own.isEmpty()) {
            environment.remove(VARIABLE);
        } else if (own != null) {
            environment.put(VARIABLE, own);
        }
    }

    /** Gives a server that of this process, which can say the names that it is told. */
    static void passOn(Map<String, String> environment) {
        String ours = System.getenv(VARIABLE);
        if (ours != null) {
            environment.put(VARIABLE, ours);
        }
    }
}

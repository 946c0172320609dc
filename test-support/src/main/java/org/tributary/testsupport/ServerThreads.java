package org.tributary.testsupport;

import java.lang.StackWalker.StackFrame;
import java.util.Optional;

/**
 * With how many event loops the servers of a test move data: one or four, by the name of the test, so that both run in
 * every build without twice the time; or as the system property {@value #PROPERTY} says, for all of them.
 */
public final class ServerThreads {
    private static final String PROPERTY = "tributary.tests.server-threads";
    private static final int SEVERAL = 4;

    private ServerThreads() {
    }

    /**
     * The setting for a server that the test at hand starts.
     *
     * @param variant what differs from other servers that the same test starts
     */
    public static String setting(String variant) {
        return "server.threads=" + System.getProperty(PROPERTY, of(test() + variant));
    }

    private static String of(String name) {
        return Integer.toString(Integer.bitCount(name.hashCode()) % 2 == 0 ? 1 : SEVERAL);
    }

    private static String test() {
        Optional<StackFrame> test = StackWalker.getInstance().walk(frames -> frames
            .filter(frame -> frame.getClassName().endsWith("Test")).findFirst());
        return test.map(frame -> frame.getClassName() + "." + frame.getMethodName()).orElse("");
    }
}

package org.tributary.testsupport;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * With how many event loops the servers of a test move data: one or four, by the name of the test, so that both run in
 * every build without twice the time. The name is that of the method and, if it has parameters, the number of the
 * invocation, so a suite whose servers start in one place has tests of both kinds. Classes with {@link
 * OneAndSeveralThreads} run with each. The system property {@value #PROPERTY} decides for all of them.
 */
public final class ServerThreads implements BeforeAllCallback, BeforeEachCallback, AfterAllCallback {
    static final ExtensionContext.Namespace OWN = ExtensionContext.Namespace.create(ServerThreads.class);
    static final String COUNT = "count";
    static final String PROPERTY = "tributary.tests.server-threads";
    static final int ONE = 1;
    static final int SEVERAL = 4;

    /** One that runs; {@code ofClass} is the count that its class runs with for this time, or null. */
    private record Running(String name, Integer ofClass) {
        static Running of(ExtensionContext context) {
            return new Running(context.getUniqueId(), context.getStore(OWN).get(COUNT, Integer.class));
        }

        /** By a sum that differs by one from an invocation of a method to the next: so these take turns. */
        int count(String variant) {
            return ofClass != null ? ofClass : (name + variant).chars().sum() % 2 == 0 ? ONE : SEVERAL;
        }
    }

    private static final Running NONE = new Running("", null);

    /** The test of a thread and of those that it starts. */
    private static final InheritableThreadLocal<Running> TEST = new InheritableThreadLocal<>() {
        @Override
        protected Running initialValue() {
            return NONE;
        }
    };

    /** Made by JUnit. */
    public ServerThreads() {
        // nothing to set up
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        TEST.set(Running.of(context));
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        TEST.set(Running.of(context));
    }

    @Override
    public void afterAll(ExtensionContext context) {
        TEST.remove();
    }

    /**
     * The setting for a server that the test at hand starts.
     *
     * @param variant what differs from other servers that the same test starts
     */
    public static String setting(String variant) {
        Integer all = Integer.getInteger(PROPERTY);
        return "server.threads=" + (all == null ? TEST.get().count(variant) : all);
    }
}

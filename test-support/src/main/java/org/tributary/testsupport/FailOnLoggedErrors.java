package org.tributary.testsupport;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Looks at the errors after each test of JUnit, and once more, with leaked buffers, after each class. */
public final class FailOnLoggedErrors implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback,
    AfterAllCallback {
    private static final ExtensionContext.Namespace OWN = ExtensionContext.Namespace.create(FailOnLoggedErrors.class);

    /** Made by JUnit. */
    public FailOnLoggedErrors() {
        // nothing to set up
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        if (isBesideOthers(context)) {
            LoggedErrors.beginClassBesideOthers();
        }
        ProcessErrors.collect();
        LoggedErrors.ofPresentTest().begin(Declared.by(context.getRequiredTestClass(), context.getRequiredTestClass()));
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        ProcessErrors.collect();
        LoggedErrors.ofPresentTest()
            .begin(Declared.by(context.getRequiredTestMethod(), context.getRequiredTestClass()));
    }

    @Override
    public void afterEach(ExtensionContext context) throws InterruptedException {
        LoggedErrors errors = LoggedErrors.ofPresentTest();
        errors.searchWatched();
        // A test that failed need not have come to what it expects.
        List<Pattern> missing = context.getExecutionException().isPresent() ? List.of()
            : errors.missing(Declared.expected(context.getRequiredTestMethod()));
        Declared.expected(context.getRequiredTestClass()).stream().filter(errors::came)
            .forEach(pattern -> cameIn(context).add(pattern.pattern()));
        fail(Verdict.on("the test", errors.takeUnexpected(), missing));
    }

    @Override
    public void afterAll(ExtensionContext context) throws InterruptedException {
        LoggedErrors errors = LoggedErrors.ofPresentTest();
        errors.begin(Declared.by(context.getRequiredTestClass(), context.getRequiredTestClass()));
        errors.searchWatched();
        LeakedBuffers.report();
        List<Pattern> missing = new ArrayList<>(Declared.expected(context.getRequiredTestClass()));
        missing.removeIf(pattern -> errors.came(pattern) || cameIn(context).contains(pattern.pattern()));
        List<String> unexpected = new ArrayList<>(errors.takeUnexpected());
        if (isBesideOthers(context)) {
            unexpected.addAll(LoggedErrors.endClassBesideOthers());
        }
        fail(Verdict.on("after its tests " + context.getDisplayName(), unexpected,
            context.getExecutionException().isPresent() ? List.of() : missing));
    }

    private static boolean isBesideOthers(ExtensionContext context) {
        return context.getExecutionMode() == ExecutionMode.CONCURRENT
            && context.getConfigurationParameter("junit.jupiter.execution.parallel.enabled").map(Boolean::valueOf)
                .orElse(false);
    }

    /** Which of the errors that the class expects have come. */
    @SuppressWarnings("unchecked")
    private static Set<String> cameIn(ExtensionContext context) {
        ExtensionContext ofClass = context;
        while (ofClass.getElement().filter(Class.class::isInstance).isEmpty()) {
            ofClass = ofClass.getParent().orElseThrow();
        }
        return ofClass.getStore(OWN).getOrComputeIfAbsent("came", key -> ConcurrentHashMap.<String>newKeySet(),
            Set.class);
    }

    private static void fail(AssertionError verdict) {
        if (verdict != null) {
            throw verdict;
        }
    }
}

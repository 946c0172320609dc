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

/** Looks at the errors after each test of JUnit, and once more, with leaked buffers, after each class. */
public final class FailOnLoggedErrors implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback,
    AfterAllCallback {
    private static final ExtensionContext.Namespace OWN = ExtensionContext.Namespace.create(FailOnLoggedErrors.class);

    private final LoggedErrors errors = LoggedErrors.ofThisProcess();

    /** Made by JUnit. */
    public FailOnLoggedErrors() {
        // nothing to set up
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        ProcessErrors.collect(errors);
        errors.begin(Declared.by(context.getRequiredTestClass(), context.getRequiredTestClass()));
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        ProcessErrors.collect(errors);
        errors.begin(Declared.by(context.getRequiredTestMethod(), context.getRequiredTestClass()));
    }

    @Override
    public void afterEach(ExtensionContext context) throws InterruptedException {
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
        errors.begin(Declared.by(context.getRequiredTestClass(), context.getRequiredTestClass()));
        errors.searchWatched();
        LeakedBuffers.report();
        List<Pattern> missing = new ArrayList<>(Declared.expected(context.getRequiredTestClass()));
        missing.removeIf(pattern -> errors.came(pattern) || cameIn(context).contains(pattern.pattern()));
        fail(Verdict.on("after its tests " + context.getDisplayName(), errors.takeUnexpected(),
            context.getExecutionException().isPresent() ? List.of() : missing));
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

package org.tributary.testsupport;

import java.util.List;
import java.util.regex.Pattern;
import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.PropagationMode;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;

/** Looks at the errors after each property of jqwik. */
public final class FailPropertiesOnLoggedErrors implements AroundPropertyHook {
    private final LoggedErrors errors = LoggedErrors.ofPresentTest();

    /** Made by jqwik. */
    public FailPropertiesOnLoggedErrors() {
        // nothing to set up
    }

    @Override
    public PropagationMode propagateTo() {
        return PropagationMode.ALL_DESCENDANTS;
    }

    @Override
    public PropertyExecutionResult aroundProperty(PropertyLifecycleContext context, PropertyExecutor property)
        throws Throwable {
        ProcessErrors.collect();
        errors.begin(Declared.by(context.targetMethod(), context.containerClass()));
        PropertyExecutionResult result = property.execute();
        errors.searchWatched();
        boolean failed = result.status() == PropertyExecutionResult.Status.FAILED;
        List<Pattern> missing = failed ? List.of() : errors.missing(Declared.expected(context.targetMethod()));
        LeakedBuffers.report();
        AssertionError verdict = Verdict.on("the property", errors.takeUnexpected(), missing);
        if (verdict != null && failed) {
            result.throwable().ifPresent(failure -> failure.addSuppressed(verdict));
        }
        return verdict == null || failed ? result : result.mapToFailed(verdict);
    }
}

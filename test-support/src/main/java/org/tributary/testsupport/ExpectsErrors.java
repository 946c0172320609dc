package org.tributary.testsupport;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Errors that a test provokes: each comes at least once, in the test, or, where a class has this, in one of its tests.
 * A test fails when one of them does not come.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface ExpectsErrors {
    /** Regular expressions, each for a part of an error's text. */
    String[] value();
}

package org.tributary.testsupport;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Errors that a test, or one of a class, may bring about and need not: what it provokes does not always get so far. */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface ToleratesErrors {
    /** Regular expressions, each for a part of an error's text. */
    String[] value();
}

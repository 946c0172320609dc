package org.tributary.client;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;

/**
 * A test that runs once for every placement of ranks: on a node, on two, both, unevenly, in turn. For what is decided
 * before an operation travels; {@link EveryPath} has the ways that servers pass it on, too. Two of them
 * run in the thorough build only.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest(name = "{0}")
@ArgumentsSource(Layouts.Placements.class)
public @interface EveryPlacement {
}

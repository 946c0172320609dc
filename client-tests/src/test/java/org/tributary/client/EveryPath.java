package org.tributary.client;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;

/**
 * A test that runs once for every way an operation can travel: on the node, to another one, both, unevenly; passed on
 * by servers of groups, in every mode; in records, in both ways; with nodes whose ranks are not in a row; and by
 * providers of network adapters, from a few bytes on, with requests in their channels. Ways of which each part is in
 * another one run in the thorough build only.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest(name = "{0}")
@ArgumentsSource(Layouts.Paths.class)
public @interface EveryPath {
}

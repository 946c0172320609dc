package org.tributary.client;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A test that runs once for every way an operation can travel: on the node, to another one, both, unevenly; passed on
 * by servers of groups, in every mode; in records, in both ways; with nodes whose ranks are not in a row; and by
 * providers of network adapters, from a few bytes on.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest(name = "{0}")
@ValueSource(strings = {"1*2", "2*1", "2*2", "3,1,2", "4*1 forward", "1,2,1 aggregate direct",
    "4*1 combine", "1,2,1 combine node", "2*1 encrypted", "1,2,1 combine direct encrypted",
    "cyclic:2*2", "cyclic:3,1,2 combine", "map:1,2,0,1 combine node", "2*1 tcp", "1,2,1 shm"})
public @interface EveryPath {
}

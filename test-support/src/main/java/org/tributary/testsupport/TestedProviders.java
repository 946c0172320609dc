package org.tributary.testsupport;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Providers of libfabric that tests use: tcp and shm, which every machine has. On a virtual machine with an adapter
 * ({@code -Pverbs}) the system properties {@code tributary.tests.providers} and {@code tributary.tests.address} name
 * another one, and the address of its interface.
 */
public final class TestedProviders {
    /** Where servers and endpoints listen. */
    public static final String ADDRESS = System.getProperty("tributary.tests.address", "127.0.0.1");

    private static final List<String> NAMES =
        List.of(System.getProperty("tributary.tests.providers", "tcp,shm").split(","));

    private TestedProviders() {
    }

    /** As {@code network.fabric} names them. */
    public static Stream<String> names() {
        return NAMES.stream();
    }

    /** The first of them, for tests of one alone: it checks keys, and a wait can sleep on it. */
    public static String first() {
        return NAMES.getFirst();
    }

    /** The first, as a constant of an enum of them. */
    public static <E extends Enum<E>> E first(Class<E> kinds) {
        return Enum.valueOf(kinds, constants().findFirst().orElseThrow());
    }

    /** Layouts of jobs: the given one, with each provider. */
    public static Stream<String> with(String layout) {
        return names().map(name -> layout + " " + name);
    }

    /** Names of the constants of an enum. */
    public static Stream<String> constants() {
        return names().map(name -> name.toUpperCase(Locale.ROOT));
    }
}

package org.tributary.launcher.node;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * Looks names up, all at a time and not for ever: while no name server answers, the C library asks for a name for 20 s
 * and more, and the JDK cannot end that. A name without an answer has no addresses, as one that only ssh knows.
 */
final class NameLookup {
    /** The addresses of one name. */
    interface Resolver {
        InetAddress[] resolve(String name) throws UnknownHostException;
    }

    private final long limitNs;
    private final Resolver resolver;

    /** By the machine's own resolver; at most for {@code limitNs}, however many names there are. */
    NameLookup(long limitNs) {
        this(limitNs, InetAddress::getAllByName);
    }

    NameLookup(long limitNs, Resolver resolver) {
        this.limitNs = limitNs;
        this.resolver = resolver;
    }

    /** The addresses of names, in the order of the names; those of names that are not known are left out. */
    Stream<InetAddress> addresses(List<String> names) {
        long endNs = System.nanoTime() + limitNs;
        List<FutureTask<InetAddress[]>> answers = names.stream().map(this::begin).toList();
        List<InetAddress> found = new ArrayList<>();
        for (FutureTask<InetAddress[]> answer : answers) {
            try {
                found.addAll(List.of(answer.get(endNs - System.nanoTime(), TimeUnit.NANOSECONDS)));
            } catch (ExecutionException | TimeoutException e) {
                continue; // left out
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return found.stream();
            }
        }
        return found.stream();
    }

    private FutureTask<InetAddress[]> begin(String name) {
        FutureTask<InetAddress[]> lookup = new FutureTask<>(() -> resolver.resolve(name));
        Thread.ofPlatform().daemon().name("lookup of " + name).start(lookup);
        return lookup;
    }
}

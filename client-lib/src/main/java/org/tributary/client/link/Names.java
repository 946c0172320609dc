package org.tributary.client.link;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Addresses of hosts for those who cannot wait long: a name service may take longer than a caller has, so a thread of
 * its own asks it, and what is known is kept. Thread-safe.
 */
final class Names {
    /** A name service, which may take long. */
    interface Service {
        InetAddress[] addressesOf(String host) throws UnknownHostException;
    }

    private final Service service;
    private final Map<String, CompletableFuture<InetAddress[]>> known = new ConcurrentHashMap<>();

    Names(Service service) {
        this.service = service;
    }

    /**
     * The addresses of a host; null when they are not known within the time. They may be when asked for later: what
     * comes too late is kept, and what has failed is tried again.
     */
    InetAddress[] addressesOf(String host, long timeoutNs) {
        CompletableFuture<InetAddress[]> answer = known.computeIfAbsent(host, this::ask);
        try {
            return answer.get(timeoutNs, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            known.remove(host, answer);
            return null;
        } catch (TimeoutException e) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    private CompletableFuture<InetAddress[]> ask(String host) {
        CompletableFuture<InetAddress[]> answer = new CompletableFuture<>();
        try {
            answer.complete(new InetAddress[] {InetAddress.ofLiteral(host)});
            return answer;
        } catch (IllegalArgumentException e) {
            // It is a name.
        }
        try {
            Thread.ofPlatform().daemon().name("tributary-name").start(() -> {
                try {
                    answer.complete(service.addressesOf(host));
                } catch (UnknownHostException | RuntimeException | Error e) {
                    answer.completeExceptionally(e);
                }
            });
        } catch (OutOfMemoryError e) {
            answer.completeExceptionally(e); // no thread can be started now
        }
        return answer;
    }
}

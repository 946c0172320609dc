package org.tributary.server;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.function.ToDoubleFunction;

/**
 * Counters of a server as Micrometer meters. The event loop counts in plain fields, so that counting costs an addition;
 * the registry reads them when it is asked, from whichever thread. A long is read whole on the machines that Tributary
 * runs on, so a scrape is at worst a moment old.
 */
final class ServerMetrics {
    /** Operations as they are counted, each with its requests and payload bytes. */
    enum Operation {
        PUT, PUT_STRIDED, PUT_VECTOR, ACCUMULATE, ACCUMULATE_STRIDED, ACCUMULATE_VECTOR, SIGNAL, NOTIFY, UNLOCK, FENCE,
        GET, GET_STRIDED, GET_VECTOR, ATOMIC, LOCK, PROBE, ALLOCATE, FREE, LOCK_WINDOW, UNLOCK_WINDOW, LOCKED_PUT,
        LOCKED_ACCUMULATE, LOCKED_GET, GET_ACCUMULATE
    }

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final long[] requests = new long[Operation.values().length];
    private final long[] bytes = new long[Operation.values().length];
    private long connectionsOpened;
    private long connectionsClosed;
    private long refusals;
    private long malformedFrames;
    private long rejectedRequests;

    ServerMetrics(int node) {
        registry.config().commonTags("node", Integer.toString(node));
        for (Operation operation : Operation.values()) {
            String name = operation.name().toLowerCase(java.util.Locale.ROOT);
            FunctionCounter.builder("tributary.requests", requests, counts -> counts[operation.ordinal()])
                .description("Requests executed").tag("operation", name).register(registry);
            FunctionCounter.builder("tributary.request.bytes", bytes, counts -> counts[operation.ordinal()])
                .description("Payload of requests executed").baseUnit("bytes").tag("operation", name)
                .register(registry);
        }
        counter("tributary.connections.opened", "Connections accepted", metrics -> metrics.connectionsOpened);
        counter("tributary.connections.closed", "Connections closed", metrics -> metrics.connectionsClosed);
        counter("tributary.connections.refused", "Connections not admitted", metrics -> metrics.refusals);
        counter("tributary.frames.malformed", "Connections closed for bytes that are no frame",
            metrics -> metrics.malformedFrames);
        counter("tributary.requests.rejected", "Requests answered with an error", metrics -> metrics.rejectedRequests);
        Gauge.builder("tributary.connections", this, metrics -> metrics.connectionsOpened - metrics.connectionsClosed)
            .description("Connections open").register(registry);
    }

    private void counter(String name, String description, ToDoubleFunction<ServerMetrics> value) {
        counter(name, description, this, value);
    }

    <T> void counter(String name, String description, T owner, ToDoubleFunction<T> value) {
        FunctionCounter.builder(name, owner, value).description(description).register(registry);
    }

    <T> void gauge(String name, String description, T owner, ToDoubleFunction<T> value) {
        Gauge.builder(name, owner, value).description(description).register(registry);
    }

    void executed(Operation operation, long payloadBytes) {
        requests[operation.ordinal()]++;
        bytes[operation.ordinal()] += payloadBytes;
    }

    void connectionOpened() {
        connectionsOpened++;
    }

    void connectionClosed() {
        connectionsClosed++;
    }

    void refused() {
        refusals++;
    }

    void malformed() {
        malformedFrames++;
    }

    void rejected() {
        rejectedRequests++;
    }

    /** All meters in the Prometheus text format. */
    String scrape() {
        return registry.scrape();
    }

    PrometheusMeterRegistry registry() {
        return registry;
    }
}

package org.tributary.server.observe;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;
import org.tributary.config.EnumText;
import org.tributary.wire.status.ServerCounts;
import org.tributary.wire.status.ServerGauge;
import org.tributary.wire.status.ServerOperation;

/**
 * Counters of a server as Micrometer meters. The event loop counts in plain fields, so that counting costs an
 * addition, and copies all values when it is asked to {@link #sample}. From the copies any thread writes the page.
 * Any thread counts connections and refusals.
 */
public final class ServerMetrics {
    /** A value as it was when the event loop was last asked. */
    private static final class Sample<T> {
        private final T owner;
        private final ToDoubleFunction<T> function;
        private volatile double value;

        Sample(T owner, ToDoubleFunction<T> function) {
            this.owner = owner;
            this.function = function;
        }

        void take() {
            value = function.applyAsDouble(owner);
        }

        double value() {
            return value;
        }
    }

    private final List<Sample<?>> samples = new ArrayList<>();
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Map<String, Sample<?>> samplesByName = new HashMap<>();
    private final Pairs pairs = new Pairs(ServerCounts.MAX_PAIRS);
    private final long[] requests = new long[ServerOperation.values().length];
    private final long[] bytes = new long[ServerOperation.values().length];
    // Strangers are counted by another thread.
    private final LongAdder connectionsOpened = new LongAdder();
    private final LongAdder connectionsClosed = new LongAdder();
    private final LongAdder refusals = new LongAdder();
    private final LongAdder malformedFrames = new LongAdder();
    private final LongAdder acceptPauses = new LongAdder();
    private long rejectedRequests;

    public ServerMetrics(int node) {
        registry.config().commonTags("node", Integer.toString(node));
        for (ServerOperation operation : ServerOperation.values()) {
            String name = EnumText.underscored(operation);
            FunctionCounter.builder("tributary.requests", sampled(requests, counts -> counts[operation.ordinal()]),
                    Sample::value)
                .description("Requests executed").tag("operation", name).register(registry);
            FunctionCounter.builder("tributary.request.bytes", sampled(bytes, counts -> counts[operation.ordinal()]),
                    Sample::value)
                .description("Payload of requests executed").baseUnit("bytes").tag("operation", name)
                .register(registry);
        }
        counter("tributary.connections.opened", "Connections accepted", metrics -> metrics.connectionsOpened.sum());
        counter("tributary.connections.closed", "Connections closed", metrics -> metrics.connectionsClosed.sum());
        counter("tributary.connections.refused",
            "Connections not admitted, but for direct ones and those that come when the job ends",
            metrics -> metrics.refusals.sum());
        counter("tributary.frames.malformed", "Connections closed for bytes that are no frame",
            metrics -> metrics.malformedFrames.sum());
        counter("tributary.accept.pauses", "Times at which too many strangers came, and none was accepted for a while",
            metrics -> metrics.acceptPauses.sum());
        counter("tributary.requests.rejected", "Requests answered with an error", metrics -> metrics.rejectedRequests);
        gauge("tributary.connections", "Connections open", this,
            metrics -> metrics.connectionsOpened.sum() - metrics.connectionsClosed.sum());
    }

    public void counter(String name, String description, ToDoubleFunction<ServerMetrics> value) {
        counter(name, description, this, value);
    }

    public <T> void counter(String name, String description, T owner, ToDoubleFunction<T> value) {
        FunctionCounter.builder(name, sampled(name, owner, value), Sample::value).description(description)
            .register(registry);
    }

    public <T> void gauge(String name, String description, T owner, ToDoubleFunction<T> value) {
        Gauge.builder(name, sampled(name, owner, value), Sample::value).description(description).register(registry);
    }

    private <T> Sample<T> sampled(String name, T owner, ToDoubleFunction<T> function) {
        Sample<T> sample = sampled(owner, function);
        samplesByName.put(name, sample);
        return sample;
    }

    private <T> Sample<T> sampled(T owner, ToDoubleFunction<T> function) {
        Sample<T> sample = new Sample<>(owner, function);
        samples.add(sample);
        return sample;
    }

    /** Copies all values; on the event loop. */
    public void sample() {
        samples.forEach(Sample::take);
    }

    public void executed(ServerOperation operation, long payloadBytes) {
        requests[operation.ordinal()]++;
        bytes[operation.ordinal()] += payloadBytes;
    }

    /** The same for a request of a rank, or of nobody in particular if that is negative, for memory of another. */
    public void executed(ServerOperation operation, int requester, int target, long payloadBytes) {
        executed(operation, payloadBytes);
        if (requester >= 0) {
            pairs.add(requester, target, payloadBytes);
        }
    }

    /** Requests of all operations so far; on the event loop. */
    long executed() {
        long all = 0;
        for (long each : requests) {
            all += each;
        }
        return all;
    }

    /** The counts so far, for observers of the job; on the event loop. */
    public ServerCounts counts() {
        sample();
        List<ServerCounts.Count> executed = new ArrayList<>();
        for (int i = 0; i < requests.length; i++) {
            executed.add(new ServerCounts.Count(requests[i], bytes[i]));
        }
        List<Long> gauges = Arrays.stream(ServerGauge.values()).map(gauge -> samplesByName.get(gauge.metric()))
            .map(sample -> sample == null ? 0L : (long) sample.value()).toList();
        return new ServerCounts(System.nanoTime(), executed, gauges, pairs.list());
    }

    public void connectionOpened() {
        connectionsOpened.increment();
    }

    public void connectionClosed() {
        connectionsClosed.increment();
    }

    public void refused() {
        refusals.increment();
    }

    public void malformed() {
        malformedFrames.increment();
    }

    public void acceptPaused() {
        acceptPauses.increment();
    }

    public void rejected() {
        rejectedRequests++;
    }

    /** All meters, as they were last sampled, in the Prometheus text format. Any thread. */
    public String scrape() {
        return registry.scrape();
    }
}

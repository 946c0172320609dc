package org.tributary.server.observe;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.tributary.config.EnumText;
import org.tributary.wire.status.ServerCounts;
import org.tributary.wire.status.ServerGauge;
import org.tributary.wire.status.ServerOperation;

/**
 * Counters of a server as Micrometer meters. Each event loop that executes requests counts in {@link RequestCounts} of
 * its own. The main one adds them up, and copies all values, when it is asked to {@link #sample}. From the copies any
 * thread writes the page. Any thread counts connections and refusals.
 */
public final class ServerMetrics {
    /** A value as it was when the main event loop was last asked. */
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
    /** Null until someone asks for the page: most servers have none, and its library takes long to start. */
    private PrometheusMeterRegistry registry;
    private final List<Consumer<MeterRegistry>> meters = new ArrayList<>();
    private final int node;
    private final Map<String, Sample<?>> samplesByName = new HashMap<>();
    /** Of each loop; complete before the first runs. */
    private final List<RequestCounts> loops = new ArrayList<>();
    // Strangers are counted by another thread.
    private final LongAdder connectionsOpened = new LongAdder();
    private final LongAdder connectionsClosed = new LongAdder();
    private final LongAdder refusals = new LongAdder();
    private final LongAdder malformedFrames = new LongAdder();
    private final LongAdder acceptPauses = new LongAdder();

    public ServerMetrics(int node) {
        this.node = node;
        for (ServerOperation operation : ServerOperation.values()) {
            String name = EnumText.underscored(operation);
            Sample<?> requests = sampled(this, metrics -> metrics.requests(operation.ordinal()));
            register(to -> FunctionCounter.builder("tributary.requests", requests, Sample::value)
                .description("Requests executed").tag("operation", name).register(to));
            Sample<?> bytes = sampled(this, metrics -> metrics.bytes(operation.ordinal()));
            register(to -> FunctionCounter.builder("tributary.request.bytes", bytes, Sample::value)
                .description("Payload of requests executed").baseUnit("bytes").tag("operation", name).register(to));
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
        counter("tributary.requests.rejected", "Requests answered with an error",
            metrics -> metrics.sum(RequestCounts::rejectedRequests));
        gauge("tributary.connections", "Connections open", this,
            metrics -> metrics.connectionsOpened.sum() - metrics.connectionsClosed.sum());
    }

    public void counter(String name, String description, ToDoubleFunction<ServerMetrics> value) {
        counter(name, description, this, value);
    }

    public <T> void counter(String name, String description, T owner, ToDoubleFunction<T> value) {
        Sample<T> sample = sampled(name, owner, value);
        register(to ->
            FunctionCounter.builder(name, sample, Sample::value).description(description).register(to));
    }

    public <T> void gauge(String name, String description, T owner, ToDoubleFunction<T> value) {
        Sample<T> sample = sampled(name, owner, value);
        register(to -> Gauge.builder(name, sample, Sample::value).description(description).register(to));
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

    /** What one more event loop counts, of so many that there will be. Before any runs. */
    public RequestCounts ofLoop(int allLoops) {
        RequestCounts counts = new RequestCounts(allLoops);
        String thread = Integer.toString(loops.size());
        Sample<?> executed = sampled(counts, RequestCounts::executed);
        register(to -> FunctionCounter.builder("tributary.thread.requests", executed, Sample::value)
            .description("Requests executed by each event loop; 0 is the main one").tag("thread", thread)
            .register(to));
        loops.add(counts);
        return counts;
    }

    private synchronized void register(Consumer<MeterRegistry> meter) {
        if (registry == null) {
            meters.add(meter);
        } else {
            meter.accept(registry);
        }
    }

    private synchronized PrometheusMeterRegistry registry() {
        if (registry == null) {
            PrometheusMeterRegistry started = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            started.config().commonTags("node", Integer.toString(node));
            meters.forEach(meter -> meter.accept(started));
            registry = started; // one that lacks memory for some begins anew when it is asked again
            meters.clear();
        }
        return registry;
    }

    private long sum(ToLongFunction<RequestCounts> value) {
        long sum = 0;
        for (RequestCounts counts : loops) {
            sum += value.applyAsLong(counts);
        }
        return sum;
    }

    private long requests(int operation) {
        return sum(counts -> counts.requests(operation));
    }

    private long bytes(int operation) {
        return sum(counts -> counts.bytes(operation));
    }

    /** Requests of all operations so far; on the main event loop. */
    long executed() {
        return sum(RequestCounts::executed);
    }

    /** The counts so far, for observers of the job; on the main event loop. */
    public ServerCounts counts() {
        sample();
        List<ServerCounts.Count> executed = new ArrayList<>();
        for (int i = 0; i < ServerOperation.values().length; i++) {
            executed.add(new ServerCounts.Count(requests(i), bytes(i)));
        }
        List<Long> gauges = Arrays.stream(ServerGauge.values()).map(gauge -> samplesByName.get(gauge.metric()))
            .map(sample -> sample == null ? 0L : (long) sample.value()).toList();
        return new ServerCounts(System.nanoTime(), executed, gauges,
            Pairs.sum(loops.stream().map(RequestCounts::pairs).toList()));
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

    /** All meters, as they were last sampled, in the Prometheus text format. Any thread. */
    public String scrape() {
        return registry().scrape();
    }
}

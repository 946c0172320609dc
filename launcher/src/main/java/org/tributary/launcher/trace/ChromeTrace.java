package org.tributary.launcher.trace;

import java.io.IOException;
import java.io.Writer;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.tributary.config.Json;
import org.tributary.wire.shm.WaitKind;

/**
 * Writes traces in the Trace Event Format of Chrome, as JSON, which Perfetto reads: a rank is a process, an operation
 * or wait a complete event ("X") of its thread. Times are in microseconds.
 */
final class ChromeTrace {
    private static final int NS_PER_US = 1000;

    private final Timeline timeline;
    private final Writer out;
    private boolean isFirst = true;

    /** Begins; each rank of the job is to be added, then {@link #end} called. */
    ChromeTrace(String job, Timeline timeline, Writer out) throws IOException {
        this.timeline = timeline;
        this.out = out;
        out.write("{\"displayTimeUnit\": \"ns\", \"otherData\": " + Json.of(Map.of("job", job))
            + ", \"traceEvents\": [");
    }

    void end() throws IOException {
        out.write("\n]}\n");
    }

    void add(TraceFile file, TraceRing records) throws IOException {
        meta(file.rank(), 0, "process_name", "name", "rank " + file.rank() + " (node " + file.node() + ")");
        meta(file.rank(), 0, "process_sort_index", "sort_index", file.rank());
        Set<Integer> threads = new HashSet<>();
        for (TraceRecord record : records) {
            if (threads.add(record.thread())) {
                meta(file.rank(), record.thread(), "thread_name", "name", "thread " + record.thread());
            }
            event(file, record, timeline.sinceStartNs(file, record.beganNs()));
        }
    }

    private void meta(int rank, int thread, String name, String field, Object value) throws IOException {
        next();
        out.write("{\"ph\": \"M\", \"pid\": " + rank + ", \"tid\": " + thread + ", \"name\": " + Json.quote(name)
            + ", \"args\": " + Json.of(Map.of(field, value)) + "}");
    }

    private void event(TraceFile file, TraceRecord record, long startNs) throws IOException {
        next();
        out.write("{\"ph\": \"X\", \"pid\": " + file.rank() + ", \"tid\": " + record.thread() + ", \"ts\": "
            + micros(startNs) + ", \"dur\": " + micros(record.durationNs()) + ", \"cat\": "
            + (record.isWait() ? "\"wait\"" : "\"operation\"") + ", \"name\": "
            + Json.quote(record.isWait() ? "wait: " + record.name() : record.name()) + ", \"args\": "
            + Json.of(arguments(record)) + "}");
    }

    private static Map<String, Object> arguments(TraceRecord record) {
        Map<String, Object> arguments = new LinkedHashMap<>();
        if (record.peer() >= 0) {
            WaitKind.Peer what = record.isWait() ? record.cause().peer() : WaitKind.Peer.RANK;
            arguments.put(switch (what) {
                case NODE -> "node";
                case TOKEN -> "token";
                default -> "rank";
            }, record.peer());
        }
        if (!record.isWait()) {
            arguments.put("bytes", record.bytes());
            arguments.put("operations", record.count());
        }
        if (record.segment() != 0) {
            arguments.put("segment", record.segment());
        }
        if (record.number() != 0) {
            arguments.put("number", record.number());
        }
        return arguments;
    }

    private void next() throws IOException {
        out.write(isFirst ? "\n" : ",\n");
        isFirst = false;
    }

    /** Exactly, whatever the size. */
    private static String micros(long ns) {
        return ns / NS_PER_US + "." + Long.toString(NS_PER_US + ns % NS_PER_US).substring(1);
    }
}

package org.tributary.cooperation;

import java.util.ArrayList;
import java.util.List;
import org.tributary.wire.shape.ElementType;

/** Writes down what a forwarder has its server do, one line each. */
final class RecordingOutput implements Output {
    final List<String> lines = new ArrayList<>();
    final List<Long> tickets = new ArrayList<>();

    List<String> take() {
        List<String> taken = List.copyOf(lines);
        lines.clear();
        return taken;
    }

    @Override
    public void connect(int peer) {
        lines.add("connect " + peer);
    }

    @Override
    public void begin(int peer, int requests, long lengthInBytes) {
        lines.add("begin " + peer + ": " + requests + " requests, " + lengthInBytes + " bytes");
    }

    @Override
    public void request(int peer, long ticket, int source, long position, int lengthInBytes) {
        if (ticket >= 0) {
            tickets.add(ticket);
        }
        lines.add((ticket < 0 ? "one-way " : "request ") + source + "@" + position);
    }

    @Override
    public void fetchAndAdd(int peer, long ticket, int source, long position, int lengthInBytes, long operand) {
        tickets.add(ticket);
        lines.add("fetch-and-add " + operand + " of " + source);
    }

    @Override
    public void end(int peer) {
        lines.add("end");
    }

    @Override
    public void sum(int intoSource, long intoPosition, int fromSource, long fromPosition, int payloadAt,
        int payloadLength, ElementType type) {
        lines.add("sum " + fromSource + "@" + fromPosition + " into " + intoSource + "@" + intoPosition);
    }

    @Override
    public void acknowledge(int source, long executed) {
        lines.add("ack " + source + ": " + executed);
    }

    @Override
    public void credit(int source, long freed) {
        lines.add("credit " + source + ": " + freed);
    }

    @Override
    public void unblocked(int source) {
        lines.add("unblocked " + source);
    }

    @Override
    public void released(int source) {
        lines.add("released " + source);
    }

    @Override
    public void failed(int source, long requestId, int node) {
        lines.add("failed " + source + ": " + requestId + " at " + node);
    }

    @Override
    public void wakeAt(long timeNs) {
        lines.add("wake " + timeNs);
    }
}

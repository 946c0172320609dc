package org.tributary.fabric.channel;

import java.util.ArrayDeque;
import java.util.Deque;
import org.tributary.fabric.FabricException;
import org.tributary.fabric.Region;
import org.tributary.fabric.RemoteRegion;

/** The writes of one channel: what the adapter has no room for waits here, in order. */
final class FabricLink implements RemoteWrite {
    private static final int NO_DATA = -1;

    /** A write that has not begun. */
    private record Waiting(FabricSlot slot, int from, int length, int at, int data) {
    }

    private final Staging staging;
    private final Deque<FabricLink> links;
    private final int number;
    private final Region inbound;
    private final long injectBytes;
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private RemoteRegion remote;
    private int dataBits;
    private FabricException failure;

    /** {@code links}: where it puts itself when something waits. */
    FabricLink(Staging staging, Deque<FabricLink> links, int number, Region inbound, long injectBytes) {
        this.staging = staging;
        this.links = links;
        this.number = number;
        this.inbound = inbound;
        this.injectBytes = injectBytes;
    }

    /** Of the channel, here. */
    int number() {
        return number;
    }

    Region inbound() {
        return inbound;
    }

    void connect(RemoteRegion other, int bits) {
        remote = other;
        dataBits = bits;
    }

    /** Throws what has broken the channel. */
    @Override
    public Source claim(int bytes) {
        check();
        return staging.claim(number);
    }

    @Override
    public void check() {
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public void write(Source source, int from, int length, int at) {
        begin((FabricSlot) source, from, length, at, NO_DATA);
    }

    @Override
    public void writeWithData(Source source, int from, int length, int at, int data) {
        begin((FabricSlot) source, from, length, at, data);
    }

    private void begin(FabricSlot slot, int from, int length, int at, int data) {
        check();
        if (!waiting.isEmpty() || !tryToBegin(slot, from, length, at, data)) {
            if (waiting.isEmpty()) {
                links.add(this);
            }
            slot.began();
            waiting.add(new Waiting(slot, from, length, at, data));
        }
    }

    private boolean tryToBegin(FabricSlot slot, int from, int length, int at, int data) {
        if (length <= injectBytes) {
            return data == NO_DATA ? remote.inject(at, slot.memory(), from, length)
                : remote.injectWithData(at, slot.memory(), from, length, dataBits | data);
        }
        boolean began = data == NO_DATA
            ? remote.write(at, slot.region(), slot.begin() + from, length, slot.context())
            : remote.writeWithData(at, slot.region(), slot.begin() + from, length, dataBits | data, slot.context());
        if (began) {
            slot.began();
        }
        return began;
    }

    /** Begins what waits; true when nothing is left. */
    boolean tryAgain() {
        while (!waiting.isEmpty()) {
            Waiting next = waiting.peek();
            if (failure == null && !tryToBegin(next.slot(), next.from(), next.length(), next.at(), next.data())) {
                return false;
            }
            waiting.remove();
            staging.finish(next.slot()); // the waiting, not the write, which counts by itself
        }
        return true;
    }

    @Override
    public void release(Source source) {
        staging.release((FabricSlot) source);
    }

    void fail(FabricException reason) {
        if (failure == null) {
            failure = reason;
        }
    }
}

package org.tributary.server.adapter;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.SelectStrategy;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.IntSupplier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.agrona.collections.Int2ObjectHashMap;
import org.tributary.fabric.CompletionHandler;
import org.tributary.fabric.FabricException;
import org.tributary.fabric.Progress;
import org.tributary.fabric.channel.Copying;

/**
 * How the adapter's loop waits: it looks at the endpoint for a while after the last sign of traffic, then for as long
 * at the endpoint's descriptor, and then sleeps until that is readable. Reads and writes of others are no events of the
 * endpoint, so the descriptor is also what tells of traffic; but only when the endpoint is left alone, which else takes
 * what has come. A provider without a descriptor is looked at after short naps. Owned by the loop.
 */
final class AdapterWait implements SelectStrategy, EpollIoHandle, CompletionHandler {
    /** Between two looks at a provider without a descriptor. */
    private static final long NAP_NS = TimeUnit.MICROSECONDS.toNanos(200);

    private final long spinNs;
    private final LongSupplier clockNs;
    private final Runnable giveAway;
    private final Consumer<Throwable> onFault;
    private Progress endpoint;
    private FileDescriptor descriptor;
    private final Copying copying = new Copying();
    private final Int2ObjectHashMap<Runnable> counts = new Int2ObjectHashMap<>();
    /** Null when nobody writes requests. */
    private BlockListener blocks;
    private long trafficNs;
    /** Whether the descriptor tells of what comes: the endpoint is left alone since it has said so. */
    private boolean isWatched;
    /** It has told, and the endpoint has not been looked at since. */
    private boolean hasTold;
    private boolean sleeps;

    AdapterWait(long spinNs, LongSupplier clockNs, Runnable giveAway, Consumer<Throwable> onFault) {
        this.spinNs = spinNs;
        this.clockNs = clockNs;
        this.giveAway = giveAway;
        this.onFault = onFault;
    }

    /** Looks at an endpoint from now on. */
    void begin(Progress opened) {
        endpoint = opened;
        trafficNs = clockNs.getAsLong();
        opened.waitDescriptor().ifPresent(number -> descriptor = new FileDescriptor(number));
    }

    /** Tells of requests from now on. */
    void listen(BlockListener listener) {
        blocks = listener;
    }

    /** Looks at it no more: it is about to be closed. */
    void end() {
        endpoint = null;
    }

    @Override
    public int calculateStrategy(IntSupplier selectNow, boolean hasTasks) throws Exception {
        try {
            boolean maySleep = endpoint == null || !hasTasks && pollOrRest();
            return hasTasks ? selectNow.get() : maySleep ? SelectStrategy.SELECT : SelectStrategy.BUSY_WAIT;
        } catch (RuntimeException | Error e) {
            endpoint = null;
            onFault.accept(e);
            return selectNow.get();
        }
    }

    /** Makes progress, or else rests; returns whether to sleep: nothing was to be done for long enough. */
    private boolean pollOrRest() {
        if (sleeps) {
            sleeps = false;
            isWatched = false;
        }
        boolean isBusy = !isWatched && poll();
        long nowNs = clockNs.getAsLong(); // after what may have taken long
        if (hasWoken() || isBusy || hasTold) {
            hasTraffic(nowNs);
            return false;
        }
        long idleNs = nowNs - trafficNs;
        if (descriptor != null && !isWatched && idleNs >= spinNs / 2) {
            isWatched = maySleep() && !hasWoken();
        }
        if (idleNs < spinNs) {
            giveAway.run();
            return false;
        }
        if (descriptor == null) {
            LockSupport.parkNanos(NAP_NS);
            return false;
        }
        sleeps = isWatched;
        return sleeps;
    }

    private void hasTraffic(long nowNs) {
        trafficNs = nowNs;
        isWatched = false;
        hasTold = false;
    }

    private boolean poll() {
        copying.begin();
        try {
            return endpoint.poll(this) > 0;
        } finally {
            copying.end();
        }
    }

    /** Asked, the provider may make progress, too. */
    private boolean maySleep() {
        copying.begin();
        try {
            return endpoint.maySleep();
        } finally {
            copying.end();
        }
    }

    /** When the loop makes progress. */
    Copying copying() {
        return copying;
    }

    private boolean hasWoken() {
        return blocks != null && blocks.hasWoken();
    }

    /** The descriptor is readable. It may have been so before the endpoint was asked whether it tells. */
    @Override
    public void handle(IoRegistration registration, IoEvent event) {
        if (isWatched) {
            isWatched = false;
            hasTold = true;
        }
    }

    /** The endpoint's own. */
    @Override
    public FileDescriptor fd() {
        return descriptor;
    }

    /** The descriptor belongs to the endpoint, which closes it. */
    @Override
    public void close() {
        endpoint = null;
    }

    @Override
    public void completed(int context) {
        throw new IllegalStateException("the server begins no operations, but one has completed: " + context);
    }

    /** A write has arrived that is part of a request or counts somewhere; not any more if its number is unknown. */
    @Override
    public void arrived(int data) {
        hasTraffic(clockNs.getAsLong());
        if (data < 0 && blocks != null) {
            blocks.arrived(data);
            return;
        }
        Runnable count = counts.get(data);
        if (count != null) {
            count.run();
        }
    }

    /** Has writes with a number count. */
    void count(int number, Runnable count) {
        counts.put(number, count);
    }

    /** Writes with a number count no more. */
    void stopCounting(int number) {
        counts.remove(number);
    }

    /** A rank that dies in the middle of a write is news of its connections, not of this one. */
    @Override
    public void failed(int context, FabricException reason) {
        hasTraffic(clockNs.getAsLong());
    }
}

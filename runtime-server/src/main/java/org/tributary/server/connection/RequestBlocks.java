package org.tributary.server.connection;

import io.netty.channel.EventLoop;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.tributary.fabric.channel.Arrival;
import org.tributary.server.adapter.BlockListener;
import org.tributary.server.adapter.NodeAdapter;
import org.tributary.server.adapter.RequestBlock;
import org.tributary.server.io.SpinThenBlock;
import org.tributary.server.observe.ServerMetrics;
import org.tributary.wire.shm.MemoryFaults;

/**
 * The blocks to which ranks of other nodes write requests with the network adapter, instead of sending them over their
 * connections. There are few: ranks that send much ask for one, and the rank that uses its own least is told to leave
 * it when another sends at least twice as much. Owned by the event loop; {@link BlockListener} is the adapter's side.
 *
 * <p>The loop looks at flags while it polls. While it blocks, the adapter's thread looks, which makes the progress by
 * which flags come, and wakes it. Where the adapter makes progress by itself, it tells of each write.
 */
public final class RequestBlocks implements SpinThenBlock.Bell, BlockListener {
    /** Connection of a rank that asks for a block. */
    interface Owner {
        /** Tells the rank of its block. */
        void granted(RequestBlock block, NodeAdapter of);

        /** Tells the rank to leave its block. */
        void wanted();
    }

    private static final long LEAST_MEASURE_NS = TimeUnit.MILLISECONDS.toNanos(50);
    /**
     * A rank leaves its block when it next sends or waits: for so long no other is asked to leave. It has as long to
     * begin with a new one, because it may have to open its adapter first.
     */
    private static final long PATIENCE_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int BITS = 0xffff;

    private final NodeAdapter adapter;
    private final int limit;
    private final EventLoop loop;
    private final LongSupplier clockNs;
    private final boolean hasFlags;
    private final Runnable read = this::read;
    /** Replaced, not changed: the adapter's thread goes through them, too. */
    private volatile Entry[] entries = {};
    /** Set by the loop before it looks for the last time; the adapter's thread looks after it has made progress. */
    private volatile boolean isAsleep;
    private boolean isReadDue;
    private long bytes;
    private long ended;
    private long wakes;

    /** A rank's block. */
    private static final class Entry {
        private final Owner owner;
        /** Null while it is opened. */
        private RequestBlock block;
        /** Null until the rank uses it; set after the others, which the adapter's thread reads behind it. */
        private volatile RequestReader reader;
        private boolean isHeld;
        private boolean isWanted;
        private long wantedNs;
        private boolean isClosed;
        private long measuredNs;
        private long measured;
        /** Messages a second when they were last counted; NaN until then. */
        private double used = Double.NaN;

        private Entry(Owner owner) {
            this.owner = owner;
        }

        /** {@code isOwn}: asked by the loop, which reads; otherwise by the thread that makes progress. */
        private boolean hasNews(boolean isOwn) {
            return reader != null && !isHeld && (isOwn ? block.reader().isReady() : block.reader().hasFlag());
        }
    }

    /** At most so many blocks, more than 0. */
    public RequestBlocks(NodeAdapter adapter, int limit, EventLoop loop, ServerMetrics metrics, LongSupplier clockNs) {
        this.adapter = adapter;
        this.limit = limit;
        this.loop = loop;
        this.clockNs = clockNs;
        this.hasFlags = adapter.arrival() == Arrival.FLAG;
        metrics.gauge("tributary.fabric.channels", "Ranks that write their requests with the network adapter", this,
            self -> Stream.of(self.entries).filter(entry -> entry.reader != null).count());
        metrics.counter("tributary.fabric.channel.bytes", "Requests that came so", this, self -> self.bytes);
        metrics.counter("tributary.fabric.channel.messages", "Messages in which they came", this,
            RequestBlocks::messages);
        metrics.counter("tributary.fabric.channel.wakes", "Times the adapter woke this server for them", this,
            self -> self.wakes);
        adapter.listen(this);
    }

    private long messages() {
        return ended + Stream.of(entries).filter(entry -> entry.reader != null)
            .mapToLong(entry -> entry.block.reader().messages()).sum();
    }

    private Entry find(Owner owner) {
        for (Entry entry : entries) {
            if (entry.owner == owner) {
                return entry;
            }
        }
        return null;
    }

    /** A rank sends so many messages a second and has no block: it gets one, or another is asked to leave its own. */
    void ask(Owner owner, int rate) {
        if (find(owner) != null) {
            return;
        }
        if (entries.length == limit) {
            makeRoom(rate);
            return;
        }
        Entry entry = new Entry(owner);
        Entry[] more = Arrays.copyOf(entries, entries.length + 1);
        more[more.length - 1] = entry;
        entries = more;
        adapter.open(block -> opened(entry, block));
    }

    private void opened(Entry entry, RequestBlock block) {
        if (block == null) {
            remove(entry);
        } else if (entry.isClosed) {
            adapter.close(block, false); // nobody has been told of it
        } else {
            entry.block = block;
            entry.measuredNs = clockNs.getAsLong();
            entry.owner.granted(block, adapter);
        }
    }

    private void makeRoom(int rate) {
        Entry least = null;
        double leastRate = rate / 2.0;
        long nowNs = clockNs.getAsLong();
        for (Entry entry : entries) {
            if (entry.isWanted && nowNs - entry.wantedNs < PATIENCE_NS) {
                return; // one leaves already
            }
            if (entry.isWanted || entry.block == null) {
                continue;
            }
            measure(entry, nowNs);
            if (entry.used < leastRate) {
                least = entry;
                leastRate = entry.used;
            }
        }
        if (least != null) {
            least.isWanted = true;
            least.wantedNs = nowNs;
            least.owner.wanted();
        }
    }

    /** Many ask: those that come before it is time to count again are compared with the last rate. */
    private static void measure(Entry entry, long nowNs) {
        long sinceNs = nowNs - entry.measuredNs;
        if (sinceNs >= leastMeasureNs(entry)) {
            long count = entry.block.reader().messages();
            entry.used = (count - entry.measured) * 1e9 / sinceNs;
            entry.measuredNs = nowNs;
            entry.measured = count;
        }
    }

    private static long leastMeasureNs(Entry entry) {
        return entry.reader == null ? PATIENCE_NS : LEAST_MEASURE_NS;
    }

    /** A rank writes its requests to its block from now on; null when it has none. */
    RequestBlock use(Owner owner, RequestReader reader) {
        Entry entry = find(owner);
        if (entry == null || entry.block == null || entry.reader != null) {
            return null;
        }
        entry.measuredNs = clockNs.getAsLong();
        entry.used = Double.NaN;
        entry.reader = reader;
        readSoon();
        return entry.block;
    }

    /** A rank writes to its block no more; {@code hasLeft}: it has said so, and everything of it has been taken. */
    void close(Owner owner, boolean hasLeft) {
        Entry entry = find(owner);
        if (entry != null) {
            remove(entry);
            if (entry.block != null) {
                ended += entry.block.reader().messages();
                adapter.close(entry.block, !hasLeft);
            }
        }
    }

    private void remove(Entry entry) {
        entry.isClosed = true;
        entries = Stream.of(entries).filter(each -> each != entry).toArray(Entry[]::new);
    }

    void taken(int count) {
        bytes += count;
    }

    @Override
    public boolean takeRing() {
        if (!hasNews(true)) {
            return false;
        }
        readSoon();
        return true;
    }

    private boolean hasNews(boolean isOwn) {
        if (hasFlags) {
            for (Entry entry : entries) {
                if (entry.hasNews(isOwn)) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public boolean sleep() {
        isAsleep = true;
        VarHandle.fullFence(); // either this thread sees the flag or the adapter's sees that it sleeps: hasWoken()
        if (hasNews(true)) {
            isAsleep = false;
            readSoon();
            return false;
        }
        return true;
    }

    @Override
    public void awake() {
        isAsleep = false;
    }

    @Override
    public boolean hasWoken() {
        VarHandle.fullFence(); // partner: sleep()
        if (!isAsleep || !hasNews(false)) {
            return false;
        }
        isAsleep = false;
        return wake(() -> {
            wakes++;
            readSoon();
        });
    }

    @Override
    public void arrived(int data) {
        wake(() -> {
            int number = data >>> Short.SIZE;
            for (Entry entry : entries) {
                if (entry.block != null && entry.block.number() == number) {
                    entry.block.reader().arrived(data & BITS);
                    readSoon();
                }
            }
        });
    }

    private boolean wake(Runnable task) {
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false; // the server ends
        }
    }

    /** Looks into all blocks once what is at hand has been dealt with. */
    void readSoon() {
        if (!isReadDue) {
            MemoryFaults.surface(); // the loop's queue must not be left half-changed
            isReadDue = true;
            loop.execute(read);
        }
    }

    private void read() {
        isReadDue = false;
        boolean more = false;
        for (Entry entry : entries) {
            if (entry.reader != null && !entry.isClosed) {
                RequestReader.Left left = entry.reader.readRequests();
                entry.isHeld = left == RequestReader.Left.HELD;
                more |= left == RequestReader.Left.MORE;
            }
        }
        if (more) {
            readSoon();
        }
    }
}

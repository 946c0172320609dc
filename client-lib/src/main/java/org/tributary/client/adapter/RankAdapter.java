package org.tributary.client.adapter;

import java.lang.foreign.MemorySegment;
import java.util.OptionalInt;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.tributary.client.connection.Awaited;
import org.tributary.client.connection.Callback;
import org.tributary.client.connection.ChannelFacts;
import org.tributary.client.connection.RegionFacts;
import org.tributary.client.connection.RequestChannel;
import org.tributary.client.connection.ServerLink;
import org.tributary.client.error.GasException;
import org.tributary.client.link.JobFailure;
import org.tributary.client.link.Links;
import org.tributary.client.link.NetworkAdapter;
import org.tributary.config.JobEnvironment;
import org.tributary.config.NetworkFabric;
import org.tributary.config.Settings;
import org.tributary.fabric.CompletionHandler;
import org.tributary.fabric.Endpoint;
import org.tributary.fabric.FabricException;
import org.tributary.fabric.Provider;
import org.tributary.wire.shm.ProviderFiles;

/**
 * Moves large data between this rank and other nodes without messages: contiguous bytes, and shapes and ranges of large
 * blocks, each of which is one operation of the adapter. A put is complete when it is in the
 * target's memory, a get when its data is here; so what a rank does next with that node, by a message or by the
 * adapter, need only wait for what is under way. {@link #put} and {@link #get} are thread-safe; the rest is guarded by
 * the lock of {@link Links}.
 */
public final class RankAdapter implements NetworkAdapter, CompletionHandler {
    /**
     * Less goes by a message: its bytes leave with those of other requests in one system call, while the adapter begins
     * an operation for each, which waits for the messages before it and lets those behind it wait.
     */
    private static final int THRESHOLD = 4 << 10;
    /** Less is copied. */
    private static final int DIRECT_THRESHOLD = 64 << 10;
    /**
     * The kernel copies between processes by one instruction, {@code rep movsb}. Some processors (AMD's Zen 3) take
     * several times as long when the addresses differ in these bits. Slots have none of them.
     */
    private static final int COPY_ALIGNMENT = 32;
    /** Hand-overs of requests to one server that are worth a channel, if no busier rank wants it. */
    private static final int MUCH = 16;
    private static final long DRAIN_NS = 1_000_000_000;
    private static final long DRAIN_PARK_NS = 20_000;

    private final int rank;
    private final Settings settings;
    private final Links links;
    private final JobFailure jobFailure;
    private volatile int threshold = THRESHOLD;
    private volatile int much = MUCH;
    private UnaryOperator<Registrations.Registrar> registrar;
    private boolean isOff;
    private FabricException broken;
    /** Null until it is needed, as are what follows. */
    private Opened opened;
    private Pieces pieces;
    private Targets targets;
    /** All memory; null when the provider needs registrations. */
    private Registration anyMemory;
    private Registrations registrations;

    /** The adapter of a rank for which there is a provider; it is opened when it is first needed. */
    public RankAdapter(JobEnvironment job, Settings settings, Links links, JobFailure jobFailure) {
        this.rank = job.rank();
        this.settings = settings;
        this.links = links;
        this.jobFailure = jobFailure;
    }

    /** From how many bytes on it moves data from now on, and asks for channels at once; for tests. */
    void moveFrom(int bytes) {
        threshold = bytes;
        much = 1;
    }

    /** Registers memory also with providers that need no registration, by a registrar around theirs; for tests. */
    void registerBy(UnaryOperator<Registrations.Registrar> around) {
        registrar = around;
    }

    /** Those of memory of callers; null before something has been moved, and when the provider needs none. */
    Registrations registrations() {
        return registrations;
    }

    /** The process ends without closing anything: no file of its endpoint is to stay. */
    public void removeFiles() {
        if (settings.networkFabric() == NetworkFabric.SHM) {
            ProviderFiles.remove(ProcessHandle.current().pid());
        }
    }

    /**
     * Puts blocks, unless they share bytes. Their source may be reused when it returns.
     *
     * @param whenDone gives what to tell when they are in the target's memory; null to wait for that
     * @param rank     of another node
     * @return false when a message has to put them
     * @throws org.tributary.client.error.AdapterException when the adapter has failed; of a put that nobody waits for,
     *                                                     the next fence throws it
     */
    public boolean put(Supplier<Callback> whenDone, int node, int rank, long segment, Blocks blocks,
        MemorySegment source) {
        return move(false, whenDone, node, rank, segment, blocks, source, 0) > 0;
    }

    /**
     * Puts blocks as {@link #put} does. Each operation of the adapter adds one to a count at the target when its bytes
     * are there: the fence count of a window. One that fails ends the job, as nobody knows whether it was counted.
     *
     * @param window whose part of the rank counts
     * @return how many are counted; 0 when a message has to put the blocks
     */
    public int putCounted(Supplier<Callback> whenDone, int node, int rank, long segment, Blocks blocks,
        MemorySegment source, long window) {
        return window == 0 ? 0 : move(false, whenDone, node, rank, segment, blocks, source, window);
    }

    /**
     * Gets blocks, unless they share bytes.
     *
     * @param whenDone gives what to tell when they are there; null to wait for that
     * @param rank     of another node
     * @return false when a message has to ask for them
     * @throws org.tributary.client.error.AdapterException when the adapter has failed and the caller waits
     */
    public boolean get(Supplier<Callback> whenDone, int node, int rank, long segment, Blocks blocks,
        MemorySegment target) {
        return move(true, whenDone, node, rank, segment, blocks, target, 0) > 0;
    }

    /** Whether blocks of so many bytes are worth an operation of the adapter each. */
    public boolean moves(long bytesEach) {
        return bytesEach >= threshold;
    }

    /** How many operations of the adapter it takes; 0 when it has to be a message. */
    private int move(boolean reads, Supplier<Callback> whenDone, int node, int toRank, long segment, Blocks blocks,
        MemorySegment memory, long window) {
        if (!blocks.areApart(!reads)) {
            return 0;
        }
        Transfer transfer;
        TargetNode target;
        links.lock().lock();
        try {
            // What holds the lock already has begun something on the connection.
            target = links.lock().getHoldCount() > 1 || isOff ? null
                : ready(node, toRank, segment, window, reads);
            if (target == null) {
                return 0;
            }
            transfer = new Transfer(reads, toRank, segment, blocks.first(), blocks.bytes(),
                whenDone == null ? null : whenDone.get(), window == 0 ? 0 : target.part(window, toRank).number(),
                whenDone == null ? direct(reads, memory, blocks, target.part(segment, toRank).offset()) : null,
                carriesRequests());
            begin(transfer, target, target.part(segment, toRank), memory, blocks);
            if (whenDone != null) {
                return transfer.operations();
            }
        } finally {
            links.lock().unlock();
        }
        await(transfer, target.link());
        return transfer.operations();
    }

    /** Whether the endpoint may have channels, without which the rank cannot even leave. */
    private boolean carriesRequests() {
        return settings.fabricChannels() > 0;
    }

    /** By which the adapter uses memory of a caller that waits; null when it is to be copied. */
    private Registration direct(boolean reads, MemorySegment memory, Blocks blocks, long partOffset) {
        if (blocks.bytes() < DIRECT_THRESHOLD || !CallersMemory.stays(memory)
            || reads && (memory.isReadOnly() || isBetterCopied(memory, blocks, partOffset))) {
            return null;
        }
        if (anyMemory != null) {
            anyMemory.begun(0);
            return anyMemory;
        }
        return registrations.take(memory, blocks.lowest(), blocks.highest(), blocks.bytes());
    }

    /** Whether the kernel is slow to copy between processes to there, and not to a slot. */
    private boolean isBetterCopied(MemorySegment memory, Blocks blocks, long partOffset) {
        return opened.endpoint().provider().sharesMemory()
            && (!blocks.isContiguous() || (partOffset + blocks.remote()) % COPY_ALIGNMENT == 0
                && (memory.address() + blocks.local()) % COPY_ALIGNMENT != 0);
    }

    private void await(Transfer transfer, ServerLink link) {
        boolean ended = false;
        try {
            links.waitLoop().await(transfer, link);
            ended = true;
        } finally {
            if (!ended) {
                drop(transfer);
            }
        }
        links.lock().lock();
        try {
            if (transfer.failure() != null) {
                throw transfer.failure();
            }
        } finally {
            links.lock().unlock();
        }
    }

    private void drop(Transfer transfer) {
        links.lock().lock();
        try {
            transfer.drop();
            stopIfUsed(transfer);
        } finally {
            links.lock().unlock();
        }
    }

    /** A caller leaves, whose memory the adapter may be using: it must not from now on. */
    private void stopIfUsed(Transfer transfer) {
        if (transfer.direct() != null && transfer.isUnderWay()) {
            stop();
        }
    }

    /** Closes the endpoint: without it, nothing of these providers goes on. Nobody lets go while it is looked at. */
    private void stop() {
        if (!isOff) {
            opened.abandon();
            turnOff("a thread has not waited for the end of its transfer");
        }
    }

    /**
     * The node, when an operation on a part may begin there by the adapter: nothing of this thread's is under way that
     * it could overtake. Gives the lock away while it waits. Null when it has to be a message.
     */
    private TargetNode ready(int node, int toRank, long segment, long window, boolean reads) {
        boolean hasEnded = false;
        boolean hasExecuted = false;
        while (true) {
            ServerLink link = links.connectWithoutSettling(node);
            if (isOff || opened == null && !open(link)) {
                return null;
            }
            TargetNode target = targets.at(link);
            TargetNode.Part part = target.part(segment, toRank);
            if (target.hasFailed()) {
                return null;
            } else if (part == null) {
                ask(target, segment, toRank);
            } else if (part.region() == null) {
                return null;
            } else if (window != 0 && target.part(window, toRank) == null) {
                ask(target, window, toRank);
            } else if (window != 0 && target.part(window, toRank).number() == 0) {
                return null;
            } else if (!hasEnded && couldOvertake(target, reads)) {
                hasEnded = true;
                links.awaitUnlocked(allSoFar(node), null);
            } else if (link.isQuietAfterPoll()) {
                return target;
            } else if (hasExecuted) {
                return null; // something else takes long, such as a lock that somebody waits for
            } else {
                hasExecuted = true;
                links.awaitUnlocked(link.fenceEverything(), link);
            }
        }
    }

    private boolean couldOvertake(TargetNode target, boolean reads) {
        Provider provider = opened.endpoint().provider();
        return target.couldOvertake(reads, provider.ordersReads(), provider.ordersWrites());
    }

    /** Opens the adapter on the interface of a connection; false when that fails: all goes by messages from then on. */
    private boolean open(ServerLink link) {
        opened = ProviderChoice.open(rank, settings, link);
        if (opened == null) {
            isOff = true;
            return false;
        }
        pieces = new Pieces(opened.bounce(), this::tell);
        targets = new Targets(links, opened.endpoint(), pieces);
        Registrations.Registrar own = opened.endpoint()::registerLocally;
        if (opened.direct() != null && registrar == null) {
            anyMemory = Registration.ofAll(opened.direct());
        } else {
            registrations = new Registrations(registrar == null ? own : registrar.apply(own),
                problem -> System.err.println("tributary: rank " + rank + " " + problem));
        }
        return true;
    }

    /** Asks how the adapter of a node reaches a part. Gives the lock away meanwhile. */
    private void ask(TargetNode target, long segment, int toRank) {
        RegionFacts facts = targets.ask(target, segment, toRank);
        if (!isOff) {
            targets.learn(target, segment, toRank, facts);
        }
    }

    /** Begins all pieces; waits for slots without the lock. */
    private void begin(Transfer transfer, TargetNode target, TargetNode.Part part, MemorySegment memory,
        Blocks blocks) {
        try {
            while (blocks.hasMore() && transfer.failure() == null) {
                int slot = isOff ? -1 : opened.bounce().take();
                if (isOff) {
                    if (transfer.operations() > 0) { // otherwise messages can still carry all of it
                        GasException why = transfer.failed("it cannot be used any more");
                        transfer.fail(why);
                        tell(transfer, target, why);
                    }
                    break;
                } else if (slot < 0) {
                    links.awaitUnlocked(opened.bounce().slotFor(transfer), target.link());
                } else {
                    begin(slot, transfer, target, part, memory, blocks);
                }
            }
        } catch (RuntimeException | Error e) {
            transfer.drop();
            stopIfUsed(transfer);
            GasException why = transfer.failed("it was given up: " + e);
            transfer.fail(why);
            if (transfer.number() != 0 && transfer.operations() > 0) {
                tell(transfer, target, why);
            }
            throw e;
        } finally {
            transfer.begunAll();
        }
    }

    private void begin(int slot, Transfer transfer, TargetNode target, TargetNode.Part part, MemorySegment memory,
        Blocks blocks) {
        boolean wasIdle = pieces.count() == 0;
        pieces.begin(slot, target, transfer, part, memory, blocks);
        if (wasIdle) {
            links.adapterBegan();
        }
    }

    /** Tells of a put that has failed, for which nobody waits but fences, or at whose target others do. */
    private void tell(Transfer transfer, TargetNode target, GasException failure) {
        if (transfer.number() != 0) {
            if (!jobFailure.hasFailed() && !jobFailure.calls().isLeaving()) {
                jobFailure.end("rank " + rank + " cannot go on: " + failure.getMessage());
            }
        } else if (!transfer.reads() && !transfer.isWaitedFor()) {
            target.link().adapterFailed(failure);
        }
    }

    @Override
    public RequestChannel openChannel(ServerLink link, ChannelFacts facts) {
        if (isOff || opened == null && !open(link) || !opened.channels().fits(facts)) {
            return null;
        }
        try {
            return opened.channels().open(targets.at(link), link, facts, this::poll);
        } catch (FabricException | GasException e) {
            return null; // requests go over the connection, and a transfer says why it does not get there
        }
    }

    @Override
    public int flushesBeforeAsking() {
        return much;
    }

    @Override
    public boolean isBusy() {
        return opened != null && (pieces.count() > 0 || !isOff && opened.channels().areBusy());
    }

    @Override
    public boolean isBusy(int node) {
        TargetNode target = opened == null ? null : targets.known(node);
        return target != null && target.underWay() > 0;
    }

    @Override
    public Awaited allSoFar(int node) {
        if (opened == null) {
            return () -> true;
        }
        long last = pieces.begun();
        return () -> pieces.haveEnded(node, last);
    }

    @Override
    public boolean poll() {
        if (isOff) {
            return false;
        }
        int before = pieces.count();
        boolean wroteBefore = opened.channels().areBusy();
        try {
            opened.endpoint().poll(this);
        } catch (FabricException e) {
            broken = e;
        }
        if (broken != null) {
            boolean isIdle = !isBusy();
            turnOff(broken.getMessage());
            close(isIdle);
            return true;
        }
        pieces.beginWaiting(targets.all(), settings.attachTimeoutNs(), opened.endpoint());
        opened.channels().goOn(settings.attachTimeoutNs());
        return pieces.count() != before || wroteBefore != opened.channels().areBusy();
    }

    @Override
    public void completed(int context) {
        if (opened.channels().owns(context)) {
            opened.channels().completed(context);
            return;
        }
        pieces.completed(context);
    }

    @Override
    public void arrived(int data) {
        // Nobody writes to a rank.
    }

    @Override
    public void failed(int context, FabricException reason) {
        if (context != UNKNOWN && opened.channels().owns(context)) {
            opened.channels().failed(context, reason);
            return;
        }
        if (context == UNKNOWN || !pieces.failed(context, reason)) {
            broken = reason;
        }
    }

    /** The endpoint is of no use: what is under way has failed. Messages carry what comes, but not by channels. */
    private void turnOff(String why) {
        isOff = true;
        pieces.failAll(why);
        opened.channels().failAll(why);
    }

    @Override
    public void lookAtServers() {
        Piece hopeless = opened == null ? null : targets.findHopeless();
        if (hopeless != null) {
            giveUp(hopeless);
        }
    }

    @Override
    public void nap(long longestNs) {
        OptionalInt descriptor;
        links.lock().lock();
        try {
            if (isOff || opened == null) {
                return;
            }
            descriptor = opened.descriptor();
            if (descriptor.isPresent() && !opened.endpoint().maySleep()) {
                return;
            }
        } catch (FabricException e) {
            broken = e; // the next look says so
            return;
        } finally {
            links.lock().unlock();
        }
        if (descriptor.isPresent()) {
            Endpoint.sleep(descriptor.getAsInt(), longestNs);
        } else {
            LockSupport.parkNanos(longestNs);
        }
    }

    /** A transfer that never ends keeps its slot for ever, so nothing goes by the endpoint any more. */
    private void giveUp(Piece piece) {
        turnOff("node " + piece.target().node() + " has freed segment " + Long.toHexString(piece.transfer().segment())
            + ", and the provider " + opened.endpoint().provider().name() + " does not end what was on its way there");
        opened.abandon();
    }

    /** Memory that this rank does not use any more; nothing is under way there. Takes the lock. */
    public void forget(long segment) {
        links.lock().lock();
        try {
            if (opened != null) {
                targets.forget(segment);
            }
        } finally {
            links.lock().unlock();
        }
    }

    @Override
    public void letGo(GasException why) {
        if (opened != null) {
            boolean callersStay = carriesRequests() && !jobFailure.hasFailed(); // until their transfers have ended
            long untilNs = System.nanoTime() + (callersStay || jobFailure.hasFailed() ? 0 : DRAIN_NS);
            while (!isOff && pieces.useCallersMemory() && System.nanoTime() - untilNs < 0) {
                if (!poll()) { // other threads leave when what they wait for has ended
                    LockSupport.parkNanos(DRAIN_PARK_NS);
                }
            }
            pieces.letGo(why);
            if (pieces.useCallersMemory() && !callersStay) {
                stop();
            }
        }
    }

    /** Lets puts that are under way get there, for a bounded time, and closes the endpoint. */
    @Override
    public void close() {
        long untilNs = System.nanoTime() + DRAIN_NS;
        while (isBusy() && System.nanoTime() - untilNs < 0) {
            if (!poll()) {
                LockSupport.parkNanos(DRAIN_PARK_NS);
            }
        }
        if (opened != null && !isOff) {
            boolean isIdle = !isBusy();
            opened.channels().failAll("the rank leaves"); // those that were not left
            broken = null;
            isOff = true;
            close(isIdle);
        }
    }

    /** Closes the endpoint. What was under way may still use the memory on the other side. */
    private void close(boolean isIdle) {
        if (isIdle) {
            opened.close();
        } else {
            opened.abandon();
        }
    }
}

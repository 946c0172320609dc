package org.tributary.client.adapter;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.agrona.collections.Int2ObjectHashMap;
import org.tributary.client.error.GasException;
import org.tributary.client.link.Awaited;
import org.tributary.client.link.Callback;
import org.tributary.client.link.ChannelFacts;
import org.tributary.client.link.JobFailure;
import org.tributary.client.link.Links;
import org.tributary.client.link.NetworkAdapter;
import org.tributary.client.link.PendingReply;
import org.tributary.client.link.RegionFacts;
import org.tributary.client.link.RequestChannel;
import org.tributary.client.link.ServerLink;
import org.tributary.config.JobEnvironment;
import org.tributary.config.NetworkFabric;
import org.tributary.config.Settings;
import org.tributary.fabric.CompletionHandler;
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
    /** Hand-overs of requests to one server within 100 ms that are worth a channel. */
    private static final int MUCH = 64;
    private static final long DRAIN_NS = 1_000_000_000;
    private static final long DRAIN_PARK_NS = 20_000;

    private final int rank;
    private final Settings settings;
    private final Links links;
    private final JobFailure jobFailure;
    private final Int2ObjectHashMap<TargetNode> targets = new Int2ObjectHashMap<>();
    /** By slot of {@link Bounce}. */
    private final Piece[] pieces = new Piece[Bounce.SLOTS];
    private final Piece[] underWay = new Piece[Bounce.SLOTS];
    private final Backlog backlog = new Backlog();
    private volatile int threshold = THRESHOLD;
    private volatile int much = MUCH;
    private int count;
    private long begun;
    private boolean isOff;
    private FabricException broken;
    /** Null until it is needed. */
    private Opened opened;

    /** The adapter of a rank for which there is a provider; it is opened when it is first needed. */
    public RankAdapter(JobEnvironment job, Settings settings, Links links, JobFailure jobFailure) {
        this.rank = job.rank();
        this.settings = settings;
        this.links = links;
        this.jobFailure = jobFailure;
        Arrays.setAll(pieces, Piece::new);
    }

    /** From how many bytes on it moves data from now on, and asks for channels at once; for tests. */
    void moveFrom(int bytes) {
        threshold = bytes;
        much = 1;
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
                whenDone == null ? null : whenDone.get(), window == 0 ? 0 : target.part(window, toRank).number());
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
        } finally {
            links.lock().unlock();
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
            TargetNode target = targets.get(node);
            if (target == null) {
                target = reach(node, link);
            }
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
        isOff = opened == null;
        return !isOff;
    }

    private TargetNode reach(int node, ServerLink link) {
        Provider provider = opened.endpoint().provider();
        if (provider.sharesMemory() && !link.ends().here().equals(link.ends().there())) {
            throw new GasException("the provider " + provider.name() + " reaches nodes of one machine only, and node "
                + node + " is at " + link.ends().there().getHostAddress() + ": set network.fabric to another one");
        }
        TargetNode target = new TargetNode(node, link, new Doubt(answer -> inquire(node, answer)));
        targets.put(node, target);
        return target;
    }

    /** Asks the server of a node how its adapter reaches a part. Gives the lock away meanwhile. */
    private void ask(TargetNode target, long segment, int toRank) {
        ServerLink link = target.link();
        PendingReply reply = ask(link, segment, toRank, null);
        links.awaitUnlocked(reply, link);
        try {
            RegionFacts facts = reply.region();
            if (!isOff) {
                target.learn(segment, toRank, facts, opened.endpoint());
            }
        } catch (FabricException e) {
            throw new GasException("the adapter cannot reach node " + target.node() + ": " + e.getMessage(), e);
        } finally {
            link.giveBack(reply);
        }
    }

    private static PendingReply ask(ServerLink link, long segment, int toRank, Callback callback) {
        PendingReply reply = link.expect(callback);
        try {
            link.writer().askRegion(reply, segment, toRank);
        } catch (IOException e) {
            throw link.broke(e);
        }
        link.flush();
        return reply;
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
                    links.awaitUnlocked(opened.bounce(), target.link());
                } else {
                    begin(pieces[slot].begin(target, transfer, part, memory, ++begun, blocks));
                }
            }
        } catch (RuntimeException | Error e) {
            transfer.drop();
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

    private void begin(Piece piece) {
        if (!piece.transfer().reads()) {
            try {
                piece.fill(opened.bounce());
            } catch (RuntimeException | Error e) {
                opened.bounce().give(piece.slot());
                throw e;
            }
        }
        underWay[piece.slot()] = piece;
        piece.transfer().begunPiece(piece.blocks());
        piece.target().begun(piece.transfer().reads(), System.nanoTime());
        if (count++ == 0) {
            links.adapterBegan();
        }
        if (backlog.oldest(piece.target().node()) != null || !tryToBegin(piece)) {
            backlog.add(piece);
        } else {
            endIfDone(piece);
        }
    }

    /** False when the adapter has no room. */
    private boolean tryToBegin(Piece piece) {
        try {
            return piece.begin(opened.bounce());
        } catch (FabricException | IllegalStateException e) {
            piece.stop(piece.transfer().failed(e.getMessage()));
            return true;
        }
    }

    private void endIfDone(Piece piece) {
        if (piece.hasEnded()) {
            end(piece, piece.failure());
        }
    }

    private void end(Piece piece, GasException why) {
        GasException failure = why;
        Transfer transfer = piece.transfer();
        if (failure == null && transfer.reads() && !transfer.isDropped()) {
            try {
                piece.drain(opened.bounce());
            } catch (RuntimeException e) {
                failure = transfer.failed("its destination cannot be written: " + e);
            }
        }
        underWay[piece.slot()] = null;
        opened.bounce().give(piece.slot());
        count--;
        piece.target().ended(transfer.reads(), why == null);
        if (why != null) {
            piece.target().failed();
        }
        if (failure != null) {
            tell(transfer, piece.target(), failure);
        }
        piece.release();
        transfer.endedPiece(failure);
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
            TargetNode known = targets.get(link.node());
            return opened.channels().open(known == null ? reach(link.node(), link) : known, link, facts, this::poll);
        } catch (FabricException | GasException e) {
            return null; // requests go over the connection, and a transfer says why it does not get there
        }
    }

    @Override
    public int muchForAChannel() {
        return much;
    }

    @Override
    public boolean isBusy() {
        return count > 0 || !isOff && opened != null && opened.channels().areBusy();
    }

    @Override
    public boolean isBusy(int node) {
        TargetNode target = targets.get(node);
        return target != null && target.underWay() > 0;
    }

    @Override
    public Awaited allSoFar(int node) {
        long last = begun;
        return () -> endPhase(node, last);
    }

    private boolean endPhase(int node, long last) {
        for (int slot = 0; slot < underWay.length && count > 0; slot++) {
            Piece piece = underWay[slot];
            if (piece != null && piece.number() <= last && (node < 0 || piece.target().node() == node)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean poll() {
        if (isOff) {
            return false;
        }
        int before = count;
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
        if (!backlog.isEmpty()) {
            beginWaiting();
        }
        opened.channels().goOn(settings.attachTimeoutNs());
        return count != before || wroteBefore != opened.channels().areBusy();
    }

    private void beginWaiting() {
        for (TargetNode target : targets.values()) {
            int node = target.node();
            boolean late = backlog.oldest(node) != null
                && target.isUnreachedAfter(settings.attachTimeoutNs(), System.nanoTime());
            while (backlog.oldest(node) != null && (late || tryToBegin(backlog.oldest(node)))) {
                Piece piece = backlog.take(node);
                if (late) {
                    piece.stop(piece.transfer().failed("node " + node
                        + " has not been reached within attach.timeout by " + opened.endpoint()));
                }
                endIfDone(piece);
            }
        }
    }

    @Override
    public void completed(int context) {
        if (opened.channels().owns(context)) {
            opened.channels().completed(context);
            return;
        }
        underWay[context].ended(null);
        endIfDone(underWay[context]);
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
        Piece piece = context == UNKNOWN ? null : underWay[context];
        if (piece == null) {
            broken = reason;
        } else {
            piece.ended(piece.transfer().failed(reason.getMessage()));
            endIfDone(piece);
        }
    }

    /** The endpoint is of no use: what is under way has failed. Messages carry what comes, but not by channels. */
    private void turnOff(String why) {
        isOff = true;
        backlog.clear();
        for (Piece piece : underWay.clone()) {
            if (piece != null) {
                end(piece, piece.transfer().failed(why));
            }
        }
        opened.channels().failAll(why);
    }

    @Override
    public void lookAtServers() {
        Piece hopeless = null;
        for (TargetNode target : targets.values()) {
            if (target.underWay() > 0) {
                target.link().poll();
                Piece oldest = oldest(target);
                hopeless = target.doubt().checkOldest(oldest.number(), System.nanoTime()) ? oldest : hopeless;
            }
        }
        if (hopeless != null) {
            giveUp(hopeless);
        }
    }

    private Piece oldest(TargetNode target) {
        Piece oldest = null;
        for (Piece piece : underWay) {
            if (piece != null && piece.target() == target && (oldest == null || piece.number() < oldest.number())) {
                oldest = piece;
            }
        }
        return oldest;
    }

    private void inquire(int node, Callback answer) {
        TargetNode target = targets.get(node);
        Transfer transfer = oldest(target).transfer();
        ask(target.link(), transfer.segment(), transfer.rank(), answer);
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
            for (TargetNode target : targets.values()) {
                target.forget(segment);
            }
        } finally {
            links.lock().unlock();
        }
    }

    @Override
    public void letGo(GasException why) {
        for (Piece piece : underWay) {
            if (piece != null && piece.transfer().reads()) {
                piece.transfer().drop();
                piece.transfer().fail(why);
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

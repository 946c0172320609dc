package org.tributary.client.collective;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.tributary.wire.shm.CollectiveLayout;
import org.tributary.wire.shm.SharedWord;

/**
 * Inboxes of a group of threads, which hold every send against the rules of the package: a slot is overwritten only
 * after what was in it has been consumed, acknowledgements only grow, and all that is sent is awaited. What was
 * consumed is poisoned.
 *
 * <p>Within a node a send writes the inbox at once. Between nodes it waits in a queue of its sender and receiver, and
 * the receiver takes from its queues in random order while it waits: messages of different senders overtake each other.
 */
final class AuditedInboxes {
    private static final int LINE = 64;
    private static final long PARK_NS = 20_000_000;
    private static final byte POISON = (byte) 0xA5;

    private final CollectiveLayout layout;
    private final int[] nodeOf;
    private final MemorySegment[] memory;
    private final AtomicLongArray[] written;
    private final AtomicLongArray[] consumed;
    private final List<List<ConcurrentLinkedQueue<Message>>> queues = new ArrayList<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final AtomicReferenceArray<Thread> threads;
    private final long deadlineNs;

    private record Message(long dataOffset, byte[] data, long flagOffset, long flagValue) { }

    AuditedInboxes(CollectiveLayout layout, int[] nodeOf, Arena arena, long timeoutNs) {
        this.layout = layout;
        this.nodeOf = nodeOf;
        this.deadlineNs = System.nanoTime() + timeoutNs;
        int size = nodeOf.length;
        threads = new AtomicReferenceArray<>(size);
        memory = new MemorySegment[size];
        written = new AtomicLongArray[size];
        consumed = new AtomicLongArray[size];
        for (int i = 0; i < size; i++) {
            memory[i] = arena.allocate(layout.bytes(), LINE);
            written[i] = new AtomicLongArray((int) (layout.callOffset() / LINE));
            consumed[i] = new AtomicLongArray((int) (layout.callOffset() / LINE));
            List<ConcurrentLinkedQueue<Message>> from = new ArrayList<>();
            for (int j = 0; j < size; j++) {
                from.add(new ConcurrentLinkedQueue<>());
            }
            queues.add(from);
        }
    }

    /** The group has failed: waiting members stop. */
    void fail(Throwable cause) {
        failure.compareAndSet(null, cause);
    }

    /** Why the group has failed, or null. */
    Throwable failure() {
        return failure.get();
    }

    /** What is left when all members have returned: nothing sent that was not awaited. */
    void checkAllAwaited() {
        for (int member = 0; member < memory.length; member++) {
            for (ConcurrentLinkedQueue<Message> queue : queues.get(member)) {
                check(queue.isEmpty(), "a message to " + member + " was never taken");
            }
            for (int line = 0; line < written[member].length(); line++) {
                check(written[member].get(line) == consumed[member].get(line), "member " + member + " did not await "
                    + written[member].get(line) + " at " + line * LINE + ", only " + consumed[member].get(line));
            }
        }
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }

    private void deliver(int member, MemorySegment source, long sourceOffset, long length, long dataOffset,
        long flagOffset, long flagValue) {
        int line = (int) (flagOffset / LINE);
        long before = written[member].get(line);
        if (flagOffset < layout.ackOffset(0, 0)) {
            check(flagValue != before, "flag at " + flagOffset + " of " + member + " is " + before + " already");
            check(length <= layout.chunkBytes() && (length == 0 || dataOffset == flagOffset + LINE),
                length + " bytes at " + dataOffset + " for the flag at " + flagOffset);
            check(consumed[member].get(line) == before, "slot at " + flagOffset + " of " + member + " overwritten by "
                + flagValue + " while " + before + " was not consumed, only " + consumed[member].get(line));
        } else {
            check(flagValue > before, "word at " + flagOffset + " of " + member + " falls from " + before + " to "
                + flagValue);
        }
        MemorySegment.copy(source, sourceOffset, memory[member], dataOffset, length);
        written[member].set(line, flagValue);
        SharedWord.setLongRelease(memory[member], flagOffset, flagValue); // partner: Member.await()
    }

    /** The inboxes as a member sees them; {@code delays} of a thousand calls dawdle, up to 10 us times that. */
    Inboxes of(int member, Random random, int delays) {
        return new Member(member, random, delays);
    }

    private final class Member implements Inboxes {
        private final int self;
        private final Random random;
        private final int delays;
        private long seen = -1;

        Member(int self, Random random, int delays) {
            this.self = self;
            this.random = random;
            this.delays = delays;
        }

        void enter() {
            threads.set(self, Thread.currentThread());
        }

        @Override
        public int self() {
            return self;
        }

        @Override
        public int size() {
            return nodeOf.length;
        }

        @Override
        public int nodeOf(int member) {
            return nodeOf[member];
        }

        @Override
        public MemorySegment own() {
            return memory[self];
        }

        @Override
        public void send(int member, long dataOffset, MemorySegment source, long sourceOffset, long length,
            long flagOffset, long flagValue) {
            consume();
            dawdle();
            if (nodeOf[member] == nodeOf[self]) {
                deliver(member, source, sourceOffset, length, dataOffset, flagOffset, flagValue);
            } else {
                byte[] data = source.asSlice(sourceOffset, length).toArray(ValueLayout.JAVA_BYTE);
                queues.get(member).get(self).add(new Message(dataOffset, data, flagOffset, flagValue));
            }
            LockSupport.unpark(threads.get(member));
        }

        @Override
        public void await(long flagOffset, long value, boolean exactly, int from, Doubt doubt) {
            check(exactly == flagOffset < layout.ackOffset(0, 0), "flags are awaited exactly, and nothing else is");
            consume();
            dawdle();
            while (!hasCome(flagOffset, value, exactly)) {
                if (failure.get() != null) {
                    throw new IllegalStateException("another member has failed", failure.get());
                }
                check(System.nanoTime() < deadlineNs, "member " + self + " waits too long for " + from + " to write "
                    + value + " at " + flagOffset);
                if (!takeOne()) {
                    LockSupport.parkNanos(PARK_NS); // send() ends it; a bound, for deadline and failure to be seen
                }
            }
            if (flagOffset < layout.ackOffset(0, 0)) {
                seen = flagOffset;
            } else {
                consumed[self].set((int) (flagOffset / LINE), value);
            }
            dawdle(); // with the slot not consumed yet
        }

        private boolean hasCome(long flagOffset, long value, boolean exactly) {
            long word = SharedWord.getLongAcquire(memory[self], flagOffset); // partner: deliver()
            return exactly ? word == value : word >= value;
        }

        @Override
        public boolean read(int member, long offset, MemorySegment target, BooleanSupplier enough) {
            throw new AssertionError("nobody waits long enough to doubt");
        }

        @Override
        public String nameOf(int member) {
            return "member " + member;
        }

        @Override
        public RuntimeException fail(String why) {
            return new IllegalStateException(why);
        }

        private boolean takeOne() {
            List<ConcurrentLinkedQueue<Message>> from = queues.get(self);
            int start = random.nextInt(from.size());
            for (int i = 0; i < from.size(); i++) {
                Message message = from.get((start + i) % from.size()).poll();
                if (message != null) {
                    deliver(self, MemorySegment.ofArray(message.data), 0, message.data.length, message.dataOffset,
                        message.flagOffset, message.flagValue);
                    return true;
                }
            }
            return false;
        }

        /** A member that makes another call, or leaves, has used the data that it has awaited last. */
        void consume() {
            if (seen >= 0) {
                int line = (int) (seen / LINE);
                memory[self].asSlice(seen + LINE, layout.chunkBytes()).fill(POISON);
                consumed[self].set(line, written[self].get(line));
                seen = -1;
            }
        }

        private void dawdle() {
            if (random.nextInt(1000) < delays) {
                if (random.nextInt(8) == 0) {
                    LockSupport.parkNanos(random.nextInt(10_000 * delays));
                } else {
                    for (int i = random.nextInt(20); i > 0; i--) {
                        Thread.yield();
                    }
                }
            }
        }
    }

    /** Begins a member's part, in its thread. */
    static void enter(Inboxes inboxes) {
        ((Member) inboxes).enter();
    }

    /** Ends a member's part: consumes what it waited for last. */
    static void leave(Inboxes inboxes) {
        ((Member) inboxes).consume();
    }
}

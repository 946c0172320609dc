package org.tributary.client.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.tributary.client.error.JobAbortedException;
import org.tributary.client.link.Rank;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.AskChannelDecoder;
import org.tributary.wire.codec.FenceDecoder;
import org.tributary.wire.codec.GoodbyeDecoder;
import org.tributary.wire.codec.LeaveChannelDecoder;
import org.tributary.wire.codec.PutDecoder;
import org.tributary.wire.codec.UseChannelDecoder;

/** How requests change between the connection and a channel of the network adapter. */
class FastPathTest {
    private static final int MUCH = 3;
    private static final int TEMPLATE = Frames.LENGTH_BYTES + 2;

    private final Rank rank = new Rank("client.async-send-min=64k", "attach.timeout=50ms");
    private final Answers answers = new Answers();
    private final MemoryTransport connection = new MemoryTransport();
    private final ServerLink link = rank.linkWithChannels(3, connection);
    private final MemorySegment bytes = Arena.ofAuto().allocate(1 << 18);
    private final List<Block> opened = new ArrayList<>();

    FastPathTest() {
        rank.openChannels(MUCH, facts -> {
            opened.add(new Block());
            return opened.getLast();
        });
    }

    /** Of which the server takes everything, and says so when it is told to. */
    private static final class Block implements RequestChannel {
        private final ByteArrayOutputStream written = new ByteArrayOutputStream();
        private int room = Integer.MAX_VALUE;
        private int underWay;
        private int underWayAfterWrites;
        private long taken;
        private boolean isBroken;
        private boolean isClosed;

        @Override
        public int write(MemorySegment source, int length) throws IOException {
            if (isBroken) {
                throw new IOException("broken by the test");
            }
            int count = Math.min(length, room);
            written.writeBytes(source.asSlice(0, count).toArray(ValueLayout.JAVA_BYTE));
            room -= count;
            underWay = underWayAfterWrites;
            return count;
        }

        @Override
        public boolean isUnderWay() {
            return underWay > 0;
        }

        @Override
        public boolean progress() {
            return false;
        }

        @Override
        public boolean credit(long bytes) {
            boolean isRight = bytes >= taken && bytes <= written.size();
            taken = isRight ? bytes : taken;
            return isRight;
        }

        @Override
        public boolean isAllTaken() {
            return taken == written.size();
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }

    /** The numbers of messages, one after the other. */
    private static List<Integer> templates(byte[] frames) {
        ByteBuffer all = ByteBuffer.wrap(frames).order(ByteOrder.LITTLE_ENDIAN);
        List<Integer> found = new ArrayList<>();
        int at = 0;
        while (at < frames.length) {
            found.add(all.getShort(at + TEMPLATE) & 0xFFFF);
            at += all.getInt(at);
        }
        assertEquals(frames.length, at, "half a message");
        return found;
    }

    private void put(int length) throws IOException {
        link.writer().put(1, 5, 0, 0, null, bytes, 0, length);
        link.issuedOneWay(false, true);
        link.flush();
    }

    private void arrive(byte[]... messages) {
        connection.arrive(Answers.join(messages));
        link.poll();
    }

    private Block use() throws IOException {
        put(8);
        arrive(answers.channel("tcp", new byte[] {1}, 40_000));
        return opened.getLast();
    }

    @Test
    void shouldSendEachRequestOnOneWayWhenItHasAChannelForAWhile() throws IOException {
        Block block = use();
        assertEquals(List.of(PutDecoder.TEMPLATE_ID, UseChannelDecoder.TEMPLATE_ID), templates(connection.written()));
        put(8);
        put(40_000); // from where it lies
        Awaited fence = link.fence();
        assertEquals(List.of(PutDecoder.TEMPLATE_ID, PutDecoder.TEMPLATE_ID, FenceDecoder.TEMPLATE_ID),
            templates(block.written.toByteArray()));
        arrive(answers.credit(1000), answers.ack(3), answers.channelWanted());
        assertTrue(fence.isDone());
        assertEquals(List.of(PutDecoder.TEMPLATE_ID, PutDecoder.TEMPLATE_ID, FenceDecoder.TEMPLATE_ID,
            LeaveChannelDecoder.TEMPLATE_ID), templates(block.written.toByteArray()), "it may send nothing for long");
        rank.whenFull(() -> connection.arrive(answers.credit(block.written.size())));
        int before = connection.written().length;
        put(24);
        assertTrue(block.isClosed);
        assertEquals(List.of(PutDecoder.TEMPLATE_ID, UseChannelDecoder.TEMPLATE_ID, PutDecoder.TEMPLATE_ID),
            templates(connection.written()));
        assertTrue(connection.written().length > before);
    }

    @Test
    void shouldReadCreditWhileThereIsNoRoom() throws IOException {
        Block block = use();
        block.room = 100;
        int[] waits = {0};
        rank.whenFull(() -> {
            waits[0]++;
            block.room += 1000;
        });
        put(20_000);
        assertTrue(waits[0] > 10, () -> waits[0] + " waits");
        assertEquals(List.of(PutDecoder.TEMPLATE_ID), templates(block.written.toByteArray()));
    }

    @Test
    void shouldCountHandOversByTheirWay() throws IOException {
        put(8);
        Block block = use();
        assertEquals(new ChannelTraffic(2, 0, 0), link.channelTraffic());
        put(8);
        link.flush(); // nothing
        assertEquals(1, link.channelTraffic().since(new ChannelTraffic(2, 0, 0)).byChannel());
        block.room = 100;
        rank.whenFull(() -> block.room += 1000);
        put(2000);
        ChannelTraffic traffic = link.channelTraffic();
        assertEquals(new ChannelTraffic(traffic.handOvers(), 2, 1), traffic);
        assertEquals(2 * traffic.handOvers(), traffic.plus(traffic).handOvers());
    }

    /** The rank may compute for long after that. */
    @Test
    void shouldReturnWhenWhatWasWrittenHasArrived() throws IOException {
        Block block = use();
        block.underWayAfterWrites = 7;
        int[] waits = {0};
        rank.whenFull(() -> {
            waits[0]++;
            block.underWay--;
        });
        put(8);
        assertEquals(7, waits[0]);
    }

    /** While a request is on its way, nothing may come between its parts. */
    @Test
    void shouldLeaveItsChannelBehindARequestWhenThatWaitsForRoom() throws IOException {
        Block block = use();
        block.room = 100;
        rank.whenFull(() -> {
            if (block.room < 1000) {
                connection.arrive(answers.channelWanted());
            }
            block.room += 1000;
        });
        put(20_000);
        assertEquals(List.of(PutDecoder.TEMPLATE_ID, LeaveChannelDecoder.TEMPLATE_ID),
            templates(block.written.toByteArray()));
    }

    /** Room in a channel is made by who reads, which the thread that sends later does not do. */
    @Test
    void shouldLeaveNoPayloadForLaterWhenItGoesByAChannel() throws IOException {
        assertTrue(link.isDeferred(bytes.byteSize()));
        Block block = use();
        assertFalse(link.isDeferred(bytes.byteSize()));
        link.defer();
        link.writer().put(1, 5, 0, 0, null, bytes, 0, (int) bytes.byteSize());
        link.issuedOneWay(false, true);
        link.sendLater(() -> {
            throw new AssertionError("nothing is left");
        });
        assertEquals(0, rank.sendLaterCalls());
        assertFalse(link.hasDeferred());
        assertTrue(block.written.size() > bytes.byteSize());
    }

    /** A server that is stopped takes nothing; the rank leaves nevertheless. */
    @Test
    void shouldNotWaitForEverWhenTheServerTakesNothingMore() throws IOException {
        use();
        put(8);
        int[] waits = {0};
        rank.whenFull(() -> waits[0]++);
        link.tryLeaveChannel();
        assertTrue(waits[0] > 0);
    }

    @Test
    void shouldSayGoodbyeOnTheConnectionWhenItHasLeftTheChannel() throws IOException {
        Block block = use();
        put(8);
        rank.whenFull(() -> connection.arrive(answers.credit(block.written.size())));
        link.tryLeaveChannel();
        assertTrue(block.isClosed);
        link.sayGoodbye(5, () -> { });
        assertEquals(List.of(PutDecoder.TEMPLATE_ID, LeaveChannelDecoder.TEMPLATE_ID),
            templates(block.written.toByteArray()));
        assertEquals(GoodbyeDecoder.TEMPLATE_ID, templates(connection.written()).getLast());
    }

    /** The rank has had no time to use it, or cannot. */
    @Test
    void shouldGiveAChannelBackWhenItIsWantedOrCannotBeOpened() throws IOException {
        arrive(answers.channel("tcp", new byte[] {1}, 40_000), answers.channelWanted());
        assertEquals(List.of(LeaveChannelDecoder.TEMPLATE_ID), templates(connection.written()));
        assertEquals(List.of(), opened);
        rank.openChannels(1, facts -> null);
        arrive(answers.channel("tcp", new byte[] {1}, 40_000));
        for (int i = 0; i < 10; i++) {
            put(8);
        }
        assertEquals(2, templates(connection.written()).stream().filter(id -> id == LeaveChannelDecoder.TEMPLATE_ID)
            .count());
        assertFalse(templates(connection.written()).contains(AskChannelDecoder.TEMPLATE_ID), "asks in vain");
    }

    /** It asks again and again, less and less often, and says how much it sends. */
    @Test
    void shouldAskMoreSeldomWhenThereIsNone() throws IOException {
        AtomicLong nowNs = new AtomicLong();
        LinkSet<ServerLink> some = new LinkSet<>();
        SendBuffer buffer = new SendBuffer(connection, 4096, Arena.ofAuto(), some.membershipOf(null),
            new LinkSet<ServerLink>().membershipOf(null), () -> { }, 0, Thread.currentThread());
        RequestWriter writer = new RequestWriter(buffer);
        FastPath path = new FastPath(new ChannelTransport(connection), writer, buffer,
            new FastPath.Opening() {
                @Override
                public RequestChannel open(ChannelFacts facts) {
                    throw new AssertionError("nobody answers");
                }

                @Override
                public int flushesBeforeAsking() {
                    return MUCH;
                }
            }, nowNs::get);
        for (int i = 0; i < MUCH; i++) {
            assertEquals(0, asked());
            nowNs.addAndGet(TimeUnit.SECONDS.toNanos(1) / 2);
            writer.fence();
            buffer.flush();
            path.flushed();
            path.flushed(); // nothing
        }
        assertEquals(2, rate(connection.written()), "messages a second");
        long seconds = 100;
        for (long i = 0; i < seconds * 1000; i++) {
            nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
            writer.fence();
            buffer.flush();
            path.flushed();
        }
        long asked = asked();
        assertTrue(asked > seconds / 4 && asked < seconds / 2, () -> asked + " times");
        assertEquals(1000, rate(connection.written()), "messages a second");
    }

    private long asked() {
        return templates(connection.written()).stream().filter(id -> id == AskChannelDecoder.TEMPLATE_ID).count();
    }

    /** Of the last {@code AskChannel}. */
    private static int rate(byte[] written) {
        ByteBuffer all = ByteBuffer.wrap(written).order(ByteOrder.LITTLE_ENDIAN);
        int rate = 0;
        for (int at = 0; at < written.length; at += all.getInt(at)) {
            if (all.getShort(at + TEMPLATE) == AskChannelDecoder.TEMPLATE_ID) {
                rate = all.getInt(at + all.getInt(at) - Integer.BYTES);
            }
        }
        return rate;
    }

    @Test
    void shouldBreakTheConnectionWhenCreditCannotBe() throws IOException {
        Block block = use();
        put(8);
        connection.arrive(answers.credit(block.written.size() + 8L));
        JobAbortedException broken = assertThrows(JobAbortedException.class, link::poll);
        assertTrue(broken.getMessage().contains("credit for "), broken::getMessage);
    }

    @Test
    void shouldBreakTheConnectionWhenThereIsNoChannelToGiveCreditFor() {
        connection.arrive(answers.credit(0));
        assertThrows(JobAbortedException.class, link::poll);
        MemoryTransport plain = new MemoryTransport();
        ServerLink without = rank.link(4, plain);
        plain.arrive(answers.channel("tcp", new byte[] {1}, 40_000));
        assertThrows(JobAbortedException.class, without::poll);
    }

    @Test
    void shouldBreakTheConnectionWhenTheChannelIsBroken() throws IOException {
        Block block = use();
        block.isBroken = true;
        assertThrows(JobAbortedException.class, () -> put(8));
        link.tryLeaveChannel(); // waits for nothing
        assertFalse(block.isClosed);
    }
}

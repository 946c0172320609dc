package org.tributary.server.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.channel.DefaultEventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tributary.config.Settings;
import org.tributary.server.adapter.NodeAdapter;
import org.tributary.server.adapter.RequestBlock;
import org.tributary.server.observe.ServerLog;
import org.tributary.server.observe.ServerMetrics;
import org.tributary.server.testing.AdapterClient;

/** Who of many ranks that ask gets the only block. The test is the clock and the loop of the server. */
class BusiestRanksTest {
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long DEADLINE_S = 200;

    private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private final DefaultEventLoop loop = new DefaultEventLoop();
    private final List<String> told = new ArrayList<>();
    private NodeAdapter adapter;
    private RequestBlocks blocks;
    private long nowNs;

    /** A rank. */
    private final class Rank implements RequestBlocks.Owner {
        private final String name;

        Rank(String name) {
            this.name = name;
        }

        @Override
        public void granted(RequestBlock block, NodeAdapter of) {
            told.add(name + " granted");
        }

        @Override
        public void wanted() {
            told.add(name + " wanted");
        }
    }

    @BeforeEach
    void open() throws InterruptedException {
        AdapterClient.assumeFabric();
        adapter = NodeAdapter.open(AdapterClient.provider(AdapterClient.first()), 0, Settings.defaults(), tasks::add,
            new ServerMetrics(0), new ServerLog(0), fault -> told.add(fault.toString()));
        blocks = new RequestBlocks(adapter, 1, loop, new ServerMetrics(0), () -> nowNs);
        blocks.ask(new Rank("holder"), 10);
        tasks.poll(DEADLINE_S, TimeUnit.SECONDS).run();
        assertEquals(List.of("holder granted"), told);
    }

    @AfterEach
    void close() {
        if (adapter != null) {
            adapter.close();
        }
        loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    /** Asks of those that send little must not take the turns of the busy ones. */
    @Test
    void shouldCompareEachThatAsksWhenManyAsk() {
        Rank idle = new Rank("idle");
        for (int i = 0; i < 100; i++) {
            nowNs += 10 * MS;
            blocks.ask(idle, 0);
        }
        assertEquals(List.of("holder granted"), told);
        nowNs += MS;
        blocks.ask(new Rank("busy"), 1000);
        assertEquals(List.of("holder granted", "holder wanted"), told);
        nowNs += MS;
        blocks.ask(new Rank("busier"), 2000);
        assertEquals(2, told.size()); // one leaves already
    }

    @Test
    void shouldAskNobodyToLeaveWhenItsUseIsNotKnownYet() {
        nowNs += 400 * MS;
        blocks.ask(new Rank("busy"), 1000);
        assertEquals(List.of("holder granted"), told);
        nowNs += 100 * MS;
        blocks.ask(new Rank("busy"), 1000);
        assertEquals(List.of("holder granted", "holder wanted"), told);
    }
}

package org.tributary.launcher.job;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A start that takes long, second by second of a clock that is not the machine's. */
class StartProgressTest {
    private static final int HOSTS = 4;
    private static final String ERASE = "\r\033[K";

    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final ReadyHosts hosts = new ReadyHosts(IntStream.range(0, HOSTS).mapToObj(i -> "h" + i).toList());
    private final ReadyServers servers = new ReadyServers(HOSTS);
    private LineSink err;
    private StartProgress progress;

    private void begin(boolean terminal) {
        err = new LineSink(written, terminal);
        progress = new StartProgress(hosts, servers, err, 0, TimeUnit.SECONDS.toNanos(10), "60.0 s");
    }

    private void answers(int node) {
        hosts.ready(new Event.HostReady(node, "h" + node, "identity " + node, List.of()));
    }

    private String after(double seconds) {
        written.reset();
        progress.at((long) (seconds * TimeUnit.SECONDS.toNanos(1)));
        return written.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldChangeOneLineEachSecondWhenThereIsATerminal() {
        begin(true);
        answers(0);
        assertEquals("", after(2.9));
        assertEquals(row("starting: 1 of 4 hosts have answered after 3 s, about 21 s left"), after(3));
        assertEquals("", after(3.5));
        IntStream.range(1, HOSTS).forEach(this::answers);
        assertEquals(ERASE + row("starting: 0 of 4 servers ready after 4 s, about 4 s left"), after(4));
        servers.ready(0, "h0:1");
        servers.failed(3);
        assertEquals(ERASE + row("starting: 2 of 4 servers ready after 9 s, about 3 s left"), after(9));
        String named = ERASE + "tributary: still waiting for the servers of nodes 1, 2"
            + " (10 s of 60.0 s, about 3 s left)\n";
        assertEquals(named + row("starting: 2 of 4 servers ready after 10 s, about 3 s left"), after(10));
    }

    @Test
    void shouldNotGuessHowLongWhenNothingHasAnswered() {
        begin(true);
        assertEquals(row("starting: 0 of 4 hosts have answered after 5 s"), after(5));
    }

    @Test
    void shouldLeaveNoTraceOfTheLineWhenTheStartIsOver() {
        begin(true);
        assertEquals(row("starting: 0 of 4 hosts have answered after 3 s"), after(3));
        written.reset();
        progress.over();
        err.write("hello");
        progress.over();
        assertEquals(ERASE + "hello\n", written.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldNameWhatIsAwaitedAndTheTimeLeftEveryTenSecondsWhenThereIsNoTerminal() {
        begin(false);
        assertEquals("", after(9.9));
        assertEquals("tributary: still waiting for the hosts h0, h1, h2, h3 (10 s of 60.0 s)\n", after(10));
        answers(2);
        assertEquals("", after(19));
        String named = "tributary: still waiting for the hosts h0, h1, h3 ";
        assertEquals(named + "(20 s of 60.0 s, about 140 s left)\n", after(20));
        assertEquals("", after(29));
        assertEquals(named + "(30 s of 60.0 s, about 210 s left)\n", after(30));
    }

    /** What a terminal is shown: cut at the end of its row, which is all that is erased. */
    private static String row(String text) {
        return "\033[?7l" + text + "\033[?7h";
    }
}

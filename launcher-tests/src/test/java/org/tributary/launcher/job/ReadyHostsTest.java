package org.tributary.launcher.job;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class ReadyHostsTest {
    @Test
    void shouldReportWhatWasSaidInsteadOfAnAnswerWhenTimeIsUp() {
        ReadyHosts hosts = new ReadyHosts(List.of("a", "b", "c"));
        hosts.ready(new Event.HostReady(0, "a", "identity", List.of()));
        hosts.timedOut(new ReadyServers(3), " within 60 s", node -> node == 1 ? "press any key" : "");
        assertEquals("nothing was started: 2 of 3 hosts have problems\n"
            + "  b: no answer within 60 s; it said: press any key\n  c: no answer within 60 s", hosts.report());
    }
}

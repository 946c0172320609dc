package org.tributary.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

class ReadyLineTest {
    @Test
    void shouldReadWhatItWritesWhenMoreFollows() {
        ReadyLine line = new ReadyLine(12, "[::1]:4711");
        assertEquals("tributary server ready: node 12, address [::1]:4711, pid 17", line.text(17));
        assertEquals(line, ReadyLine.parse(line.text(17)));
        assertEquals(line, ReadyLine.parse(line.text(17) + ", metrics port 9090"));
    }

    @Test
    void shouldLeaveOtherLinesAloneWhenTheyComeBefore() {
        assertNull(ReadyLine.parse("building Tributary"));
        assertNull(ReadyLine.parse("tributary server aborted: node 12, address [::1]:4711, pid 17"));
        assertNull(ReadyLine.parse("tributary server ready: node x, address [::1]:4711, pid 17"));
    }
}

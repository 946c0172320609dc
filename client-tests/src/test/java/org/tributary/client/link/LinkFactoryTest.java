package org.tributary.client.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.tributary.client.connection.LinkSets;
import org.tributary.client.connection.MemoryTransport;
import org.tributary.client.connection.ServerLink;
import org.tributary.client.error.AttachException;
import org.tributary.config.Settings;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.GoodbyeDecoder;
import org.tributary.wire.codec.MessageHeaderDecoder;

class LinkFactoryTest {
    /** The server has admitted the rank, and would take an end without a goodbye for its death. */
    @Test
    void shouldSayGoodbyeWhenAConnectionThatIsAdmittedCannotBeUsed() {
        Rank rank = new Rank();
        List<ServerLink> all = new ArrayList<>();
        MemoryTransport transport = new MemoryTransport(); // which has no socket whose other end could be watched
        LinkFactory factory = new LinkFactory(rank, new LinkSets<>(), all, rank.readiness(), Settings.defaults(),
            Arena.ofAuto(), rank.failure(), Thread.currentThread(), 0, Rank.MAX_PAYLOAD);
        AttachException failure = assertThrows(AttachException.class,
            () -> factory.adopt(1, new Connector.Admitted(transport, Rank.MAX_PAYLOAD), null));
        assertEquals("the connection to node 1 cannot be used: java.lang.UnsupportedOperationException: memory",
            failure.getMessage());
        UnsafeBuffer written = new UnsafeBuffer(transport.written());
        GoodbyeDecoder goodbye = new GoodbyeDecoder().wrapAndApplyHeader(written, Frames.LENGTH_BYTES,
            new MessageHeaderDecoder());
        assertEquals(Frames.NO_RANK, goodbye.rank());
        assertEquals(written.capacity(), written.getInt(0), "more than a goodbye");
        assertFalse(transport.isOpen());
        assertEquals(List.of(), all);
    }
}

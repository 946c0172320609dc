package org.tributary.server.relay;

import org.tributary.wire.codec.Role;

/** A source of requests as long as something of it is here: its connection may be gone. Owned by the event loop. */
final class SourceEntry {
    final Source source;
    /** Null until a request has to be passed on. */
    ReceiveRing ring;
    /** Whether answers have been gathered for it that are to be sent. */
    boolean gathers;

    SourceEntry(Source source) {
        this.source = source;
    }

    boolean isChannel() {
        return source.role() == Role.CHANNEL;
    }
}

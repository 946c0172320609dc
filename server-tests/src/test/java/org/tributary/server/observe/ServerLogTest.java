package org.tributary.server.observe;

import org.junit.jupiter.api.Test;
import org.tributary.testsupport.ExpectsErrors;
import org.tributary.wire.codec.RefusalCode;

/** Peers, of which there may be any number, take nothing from what a server says of itself. */
class ServerLogTest {
    private final ServerLog log = new ServerLog(0);

    @Test
    @ExpectsErrors({"refused peer-\\d+:7: another job",
        "further connections that are refused or closed are not named: .* 1000 sources",
        "many connections do not take their answers", "cannot accept a connection, and tries again: too many files"})
    void shouldSayWhatConcernsItselfWhenManyPeersAreRefused() {
        for (int i = 0; i < 2 * ServerLog.MAX_SOURCES; i++) {
            log.refused("peer-" + i + ":7", RefusalCode.WRONG_JOB, "another job");
        }
        log.keepsMuch(5);
        log.cannotAccept(new IllegalStateException("too many files"));
    }
}

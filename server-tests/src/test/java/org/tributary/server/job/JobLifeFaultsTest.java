package org.tributary.server.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tributary.wire.codec.Role;

/** Faults of a server while a job ends, which must not keep the end from anybody. */
class JobLifeFaultsTest {
    @TempDir
    private Path shm;

    private static Stream<Throwable> faults() {
        return Stream.of(new IllegalStateException("a fault"), new OutOfMemoryError("a fault"));
    }

    private static void fail(Throwable fault) {
        if (fault instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) fault;
    }

    @ParameterizedTest
    @MethodSource("faults")
    void shouldTellRanksWhenTheLocksOfADeadOneCannotBeHandedOn(Throwable fault) throws IOException {
        try (StillLife still = new StillLife(shm, 2, rank -> fail(fault))) {
            still.attach(0, Role.LOCAL_RANK);
            still.attach(0, Role.LIFELINE);
            Member dead = still.attach(1, Role.LOCAL_RANK);
            still.life().closed(dead);
            ByteBuf abort = still.channel().readOutbound();
            assertNotNull(abort, "rank 0 has been told nothing");
            String told = abort.toString(StandardCharsets.ISO_8859_1);
            abort.release();
            assertTrue(told.contains("the communication server of node 0 cannot go on: " + fault), told);
        }
    }

    /** The connection of a rank is to be told, and is not one that anything can be written to. */
    @Test
    void shouldEndWhenRanksCannotBeTold() throws IOException {
        try (StillLife still = new StillLife(shm, 1, rank -> { })) {
            still.attach(0, Role.LOCAL_RANK);
            still.attach(0, Role.LIFELINE, null);
            still.life().abort("the matrix is singular", -1);
            assertTrue(still.life().termination().isDone(), "others wait for this server");
            JobLife.End end = still.life().termination().join();
            assertFalse(end.clean());
            assertEquals("the matrix is singular", end.reason());
        }
    }
}

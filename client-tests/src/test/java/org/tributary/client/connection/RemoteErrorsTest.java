package org.tributary.client.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import org.agrona.ExpandableArrayBuffer;
import org.junit.jupiter.api.Test;
import org.tributary.client.error.GasException;
import org.tributary.client.error.MutexStateException;
import org.tributary.wire.codec.ErrorCode;
import org.tributary.wire.codec.ErrorDecoder;
import org.tributary.wire.codec.ErrorEncoder;
import org.tributary.wire.codec.MessageHeaderDecoder;
import org.tributary.wire.codec.MessageHeaderEncoder;

/** What a server refuses is told to the caller in the caller's words. */
class RemoteErrorsTest {
    private static GasException error(ErrorCode code, long offset, long bound, String detail) {
        ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
        new ErrorEncoder().wrapAndApplyHeader(buffer, 0, new MessageHeaderEncoder()).requestId(1).code(code).rank(3)
            .segmentId(0x1f).targetOffset(offset).lengthInBytes(0).bound(bound).detail(detail);
        return RemoteErrors.toException(new ErrorDecoder().wrapAndApplyHeader(buffer, 0, new MessageHeaderDecoder()),
            7);
    }

    private static void assertTold(String message, GasException error) {
        assertInstanceOf(MutexStateException.class, error);
        assertEquals(message, error.getMessage());
    }

    @Test
    void shouldNameTheWindowWhenItsLockIsRefused() {
        String lock = "the lock of the part of rank 3 of window 1f: ";
        assertTold(lock + "this rank holds the lock or waits for it", error(ErrorCode.LOCK_ALREADY_HELD, 0, 5,
            "this rank holds the lock or waits for it"));
        assertTold(lock + "not held shared by this rank", error(ErrorCode.LOCK_NOT_HELD, 0, -1, "not held shared"));
        assertTold(lock + "not held exclusive by this rank, but exclusively by rank 2",
            error(ErrorCode.LOCK_NOT_HELD, 0, 2, "not held exclusive"));
    }

    @Test
    void shouldNameTheMutexWhenItIsRefused() {
        assertTold("mutex at offset 128 of rank 3, segment 1f is held by this rank already",
            error(ErrorCode.ALREADY_HELD, 128, 5, ""));
        assertTold("mutex at offset 128 of rank 3, segment 1f is not held by this rank but by nobody",
            error(ErrorCode.NOT_HELD, 128, -1, ""));
    }
}

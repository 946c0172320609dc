package org.tributary.client.connection;

import org.tributary.client.error.GasException;
import org.tributary.client.error.InvalidAddressException;
import org.tributary.client.error.JobAbortedException;
import org.tributary.client.error.MutexStateException;
import org.tributary.client.error.OutOfSharedMemoryException;
import org.tributary.wire.codec.ErrorDecoder;

/** Errors of servers as exceptions that callers can catch. */
final class RemoteErrors {
    private RemoteErrors() {
    }

    static GasException toException(ErrorDecoder error, int node) {
        return switch (error.code()) {
            case SEGMENT_UNKNOWN -> address("segment does not exist (freed?)", error);
            case OUT_OF_BOUNDS -> address("outside the segment", error);
            case MISALIGNED -> address("not aligned", error);
            case RANK_UNKNOWN -> address("rank has no part on node " + node, error);
            case NOT_HELD -> new MutexStateException("mutex at offset " + error.targetOffset() + " of rank "
                + error.rank() + ", segment " + Long.toHexString(error.segmentId()) + " is not held by this rank but "
                + (error.bound() < 0 ? "by nobody" : "by rank " + error.bound()));
            case ALREADY_HELD -> new MutexStateException("mutex at offset " + error.targetOffset() + " of rank "
                + error.rank() + ", segment " + Long.toHexString(error.segmentId())
                + " is held by this rank already");
            case LOCK_NOT_HELD -> new MutexStateException(lock(error) + ": " + error.detail() + " by this rank"
                + (error.bound() < 0 ? "" : ", but exclusively by rank " + error.bound()));
            case LOCK_ALREADY_HELD -> new MutexStateException(lock(error) + ": " + error.detail());
            case NO_SPACE -> new OutOfSharedMemoryException(node, error.lengthInBytes(), error.bound(),
                error.detail());
            case NODE_LOST -> new JobAbortedException(error.detail());
            case BAD_REQUEST, RESOURCE_EXHAUSTED, NULL_VAL -> new GasException("node " + node + " refused a request"
                + " for rank " + error.rank() + ", segment " + Long.toHexString(error.segmentId()) + ", offset "
                + error.targetOffset() + ", length " + error.lengthInBytes() + ", limit " + error.bound() + ": "
                + error.code() + " " + error.detail());
        };
    }

    private static String lock(ErrorDecoder error) {
        return "the lock of the part of rank " + error.rank() + " of window " + Long.toHexString(error.segmentId());
    }

    private static InvalidAddressException address(String problem, ErrorDecoder error) {
        return new InvalidAddressException(problem, error.rank(), error.segmentId(), error.targetOffset(),
            error.lengthInBytes(), error.bound());
    }
}

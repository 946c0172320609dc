package org.tributary.client.segment;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.tributary.client.collective.Collectives;
import org.tributary.client.error.GasException;
import org.tributary.client.error.JobAbortedException;
import org.tributary.client.error.OutOfSharedMemoryException;
import org.tributary.client.remote.RemoteAccess;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;
import org.tributary.wire.shm.FailureLayout;

/**
 * How members come to one result of what each of them has tried: the failure of the lowest one that failed becomes
 * everybody's, told in the bytes of {@link FailureLayout}. The status is that of {@code enum trib_status} in
 * {@code tributary.h}. With {@link #NO_SPACE} the text names the mount; need and free mean something only then.
 */
final class CommonResult {
    static final int INVALID_ARGUMENT = -1;
    static final int NO_SPACE = -3;
    static final int REFUSED = -7;
    static final int NO_MEMORY = -8;
    static final int SYSTEM = -9;

    private static final int MAX_TEXT = FailureLayout.BYTES - FailureLayout.TEXT_OFFSET;
    private static final long NOBODY = Long.MAX_VALUE;

    private CommonResult() {
    }

    /**
     * Takes a step of this member, and returns its result when all have succeeded; collective.
     *
     * @param members  who have to agree
     * @param what   is being made, for the message
     * @param status of what goes wrong in this step, as members in C are told
     * @param undo   takes back what this member has made, this step included; runs when any member has failed
     * @throws GasException        on every member, when the step has failed on one
     * @throws JobAbortedException when the job fails; {@code undo} does not run then
     */
    static <T> T reach(RemoteAccess access, Collectives members, String what, int status, Supplier<T> step,
        Runnable undo) {
        Throwable failure = null;
        T result = null;
        try {
            result = step.get();
        } catch (JobAbortedException e) {
            throw e;
        } catch (RuntimeException | OutOfMemoryError e) {
            failure = e;
        }
        long first = lowest(members, failure == null ? NOBODY : members.self());
        if (first == NOBODY) {
            return result;
        }
        RuntimeException notUndone = undo(undo);
        byte[] description = new byte[FailureLayout.BYTES];
        if (members.self() == first) {
            describe(failure, status, access, description);
        }
        members.broadcast((int) first, MemorySegment.ofArray(description));
        GasException everybodys = toException(what, description);
        if (failure != null) {
            everybodys.initCause(failure);
        }
        if (notUndone != null) {
            everybodys.addSuppressed(notUndone);
        }
        throw everybodys;
    }

    private static long lowest(Collectives members, long number) {
        MemorySegment one = MemorySegment.ofArray(new long[] {number});
        members.allreduce(ReduceOp.MIN, ElementType.LONG, one, one);
        return one.get(ValueLayout.JAVA_LONG, 0);
    }

    /** The others wait for this rank, whatever comes of it. */
    private static RuntimeException undo(Runnable undo) {
        try {
            undo.run();
            return null;
        } catch (JobAbortedException e) {
            throw e;
        } catch (RuntimeException e) {
            return e;
        }
    }

    private static void describe(Throwable failure, int status, RemoteAccess access, byte[] description) {
        ByteBuffer bytes = ByteBuffer.wrap(description);
        OutOfSharedMemoryException space = failure instanceof OutOfSharedMemoryException e ? e : null;
        int told = space != null ? NO_SPACE : failure instanceof IllegalArgumentException ? INVALID_ARGUMENT
            : failure instanceof OutOfMemoryError ? NO_MEMORY : status;
        String message = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        byte[] text = (space != null ? space.mount() : message).getBytes(StandardCharsets.UTF_8);
        int length = Math.min(text.length, MAX_TEXT);
        bytes.putInt(FailureLayout.STATUS_OFFSET, told).putInt(FailureLayout.RANK_OFFSET, access.rank())
            .putInt(FailureLayout.NODE_OFFSET, space != null ? space.node() : access.ownNode())
            .putLong(FailureLayout.NEED_OFFSET, space != null ? space.needInBytes() : 0)
            .putLong(FailureLayout.FREE_OFFSET, space != null ? space.freeInBytes() : 0)
            .putInt(FailureLayout.LENGTH_OFFSET, length).put(FailureLayout.TEXT_OFFSET, text, 0, length);
    }

    private static GasException toException(String what, byte[] description) {
        ByteBuffer bytes = ByteBuffer.wrap(description);
        int status = bytes.getInt(FailureLayout.STATUS_OFFSET);
        int rank = bytes.getInt(FailureLayout.RANK_OFFSET);
        int node = bytes.getInt(FailureLayout.NODE_OFFSET);
        long need = bytes.getLong(FailureLayout.NEED_OFFSET);
        long free = bytes.getLong(FailureLayout.FREE_OFFSET);
        int length = Math.clamp(bytes.getInt(FailureLayout.LENGTH_OFFSET), 0, MAX_TEXT);
        String text = new String(description, FailureLayout.TEXT_OFFSET, length, StandardCharsets.UTF_8);
        return status == NO_SPACE ? new OutOfSharedMemoryException(node, need, free, text)
            : new GasException("no member has " + what + ", for rank " + rank + " (node " + node + ") failed: " + text);
    }
}

package org.tributary.server.frame;

import org.tributary.wire.codec.AbortDecoder;
import org.tributary.wire.codec.AccumulateDecoder;
import org.tributary.wire.codec.AccumulateStridedDecoder;
import org.tributary.wire.codec.AccumulateVectorDecoder;
import org.tributary.wire.codec.AckDecoder;
import org.tributary.wire.codec.AllocateDecoder;
import org.tributary.wire.codec.AtomicDecoder;
import org.tributary.wire.codec.ChallengeDecoder;
import org.tributary.wire.codec.CreditDecoder;
import org.tributary.wire.codec.DataDecoder;
import org.tributary.wire.codec.DoneDecoder;
import org.tributary.wire.codec.ErrorDecoder;
import org.tributary.wire.codec.FenceDecoder;
import org.tributary.wire.codec.FreeDecoder;
import org.tributary.wire.codec.GetAccumulateDecoder;
import org.tributary.wire.codec.GetDecoder;
import org.tributary.wire.codec.GetStridedDecoder;
import org.tributary.wire.codec.GetVectorDecoder;
import org.tributary.wire.codec.GoodbyeDecoder;
import org.tributary.wire.codec.HelloDecoder;
import org.tributary.wire.codec.JoinedDecoder;
import org.tributary.wire.codec.LockDecoder;
import org.tributary.wire.codec.LockWindowDecoder;
import org.tributary.wire.codec.LockedAccumulateDecoder;
import org.tributary.wire.codec.LockedGetDecoder;
import org.tributary.wire.codec.LockedPutDecoder;
import org.tributary.wire.codec.NodeLeftDecoder;
import org.tributary.wire.codec.NotifyDecoder;
import org.tributary.wire.codec.OriginDecoder;
import org.tributary.wire.codec.ProbeDecoder;
import org.tributary.wire.codec.PutDecoder;
import org.tributary.wire.codec.PutStridedDecoder;
import org.tributary.wire.codec.PutVectorDecoder;
import org.tributary.wire.codec.RefusedDecoder;
import org.tributary.wire.codec.ResponseDecoder;
import org.tributary.wire.codec.ShutdownDecoder;
import org.tributary.wire.codec.SignalDecoder;
import org.tributary.wire.codec.UnlockDecoder;
import org.tributary.wire.codec.UnlockWindowDecoder;
import org.tributary.wire.codec.ValueDecoder;
import org.tributary.wire.codec.WakeDecoder;
import org.tributary.wire.codec.WelcomeDecoder;

/**
 * What servers know of messages without decoding them: which they accept, which are requests, and where in the block
 * stands what forwarding them needs. Request ids are the first field of all requests that have one.
 */
public final class Templates {
    private Templates() {
    }

    /** Shortest block of a message that a server accepts, or -1 when it accepts no such message. */
    static int blockLength(int template) {
        return switch (template) {
            case HelloDecoder.TEMPLATE_ID, ChallengeDecoder.TEMPLATE_ID, ResponseDecoder.TEMPLATE_ID,
                WelcomeDecoder.TEMPLATE_ID, RefusedDecoder.TEMPLATE_ID -> 0; // Handshake looks at these
            case JoinedDecoder.TEMPLATE_ID -> JoinedDecoder.BLOCK_LENGTH;
            case PutDecoder.TEMPLATE_ID -> PutDecoder.BLOCK_LENGTH;
            case PutStridedDecoder.TEMPLATE_ID -> PutStridedDecoder.BLOCK_LENGTH;
            case PutVectorDecoder.TEMPLATE_ID -> PutVectorDecoder.BLOCK_LENGTH;
            case AccumulateDecoder.TEMPLATE_ID -> AccumulateDecoder.BLOCK_LENGTH;
            case AccumulateStridedDecoder.TEMPLATE_ID -> AccumulateStridedDecoder.BLOCK_LENGTH;
            case AccumulateVectorDecoder.TEMPLATE_ID -> AccumulateVectorDecoder.BLOCK_LENGTH;
            case SignalDecoder.TEMPLATE_ID -> SignalDecoder.BLOCK_LENGTH;
            case NotifyDecoder.TEMPLATE_ID -> NotifyDecoder.BLOCK_LENGTH;
            case UnlockDecoder.TEMPLATE_ID -> UnlockDecoder.BLOCK_LENGTH;
            case FenceDecoder.TEMPLATE_ID -> FenceDecoder.BLOCK_LENGTH;
            case GetDecoder.TEMPLATE_ID -> GetDecoder.BLOCK_LENGTH;
            case GetStridedDecoder.TEMPLATE_ID -> GetStridedDecoder.BLOCK_LENGTH;
            case GetVectorDecoder.TEMPLATE_ID -> GetVectorDecoder.BLOCK_LENGTH;
            case AtomicDecoder.TEMPLATE_ID -> AtomicDecoder.BLOCK_LENGTH;
            case LockDecoder.TEMPLATE_ID -> LockDecoder.BLOCK_LENGTH;
            case ProbeDecoder.TEMPLATE_ID -> ProbeDecoder.BLOCK_LENGTH;
            case AllocateDecoder.TEMPLATE_ID -> AllocateDecoder.BLOCK_LENGTH;
            case FreeDecoder.TEMPLATE_ID -> FreeDecoder.BLOCK_LENGTH;
            case GoodbyeDecoder.TEMPLATE_ID -> GoodbyeDecoder.BLOCK_LENGTH;
            case AbortDecoder.TEMPLATE_ID -> AbortDecoder.BLOCK_LENGTH;
            case NodeLeftDecoder.TEMPLATE_ID -> NodeLeftDecoder.BLOCK_LENGTH;
            case ShutdownDecoder.TEMPLATE_ID -> ShutdownDecoder.BLOCK_LENGTH;
            case LockWindowDecoder.TEMPLATE_ID -> LockWindowDecoder.BLOCK_LENGTH;
            case UnlockWindowDecoder.TEMPLATE_ID -> UnlockWindowDecoder.BLOCK_LENGTH;
            case LockedPutDecoder.TEMPLATE_ID -> LockedPutDecoder.BLOCK_LENGTH;
            case LockedAccumulateDecoder.TEMPLATE_ID -> LockedAccumulateDecoder.BLOCK_LENGTH;
            case LockedGetDecoder.TEMPLATE_ID -> LockedGetDecoder.BLOCK_LENGTH;
            case GetAccumulateDecoder.TEMPLATE_ID -> GetAccumulateDecoder.BLOCK_LENGTH;
            case WakeDecoder.TEMPLATE_ID -> WakeDecoder.BLOCK_LENGTH;
            case OriginDecoder.TEMPLATE_ID -> OriginDecoder.BLOCK_LENGTH;
            case AckDecoder.TEMPLATE_ID -> AckDecoder.BLOCK_LENGTH;
            case CreditDecoder.TEMPLATE_ID -> CreditDecoder.BLOCK_LENGTH;
            case DataDecoder.TEMPLATE_ID -> DataDecoder.BLOCK_LENGTH;
            case ValueDecoder.TEMPLATE_ID -> ValueDecoder.BLOCK_LENGTH;
            case DoneDecoder.TEMPLATE_ID -> DoneDecoder.BLOCK_LENGTH;
            case ErrorDecoder.TEMPLATE_ID -> ErrorDecoder.BLOCK_LENGTH;
            default -> -1;
        };
    }

    /** Whether the frame is payload from the end of its fixed part on. */
    public static boolean carriesPayload(int template) {
        return switch (template) {
            case PutDecoder.TEMPLATE_ID, PutStridedDecoder.TEMPLATE_ID, PutVectorDecoder.TEMPLATE_ID,
                AccumulateDecoder.TEMPLATE_ID, AccumulateStridedDecoder.TEMPLATE_ID,
                AccumulateVectorDecoder.TEMPLATE_ID, LockedPutDecoder.TEMPLATE_ID,
                LockedAccumulateDecoder.TEMPLATE_ID, GetAccumulateDecoder.TEMPLATE_ID,
                DataDecoder.TEMPLATE_ID -> true;
            default -> false;
        };
    }

    /** Whether the request is answered by an acknowledgement only. */
    public static boolean isOneWay(int template) {
        return template >= PutDecoder.TEMPLATE_ID && template <= UnlockDecoder.TEMPLATE_ID
            || template == UnlockWindowDecoder.TEMPLATE_ID;
    }

    /** Where in the block a request names the target's rank, or -1 when it is for no rank. */
    public static int rankOffset(int template) {
        return switch (template) {
            case PutDecoder.TEMPLATE_ID -> PutDecoder.rankEncodingOffset();
            case PutVectorDecoder.TEMPLATE_ID -> PutVectorDecoder.rankEncodingOffset();
            case PutStridedDecoder.TEMPLATE_ID -> PutStridedDecoder.rankEncodingOffset();
            case AccumulateDecoder.TEMPLATE_ID -> AccumulateDecoder.rankEncodingOffset();
            case AccumulateVectorDecoder.TEMPLATE_ID -> AccumulateVectorDecoder.rankEncodingOffset();
            case AccumulateStridedDecoder.TEMPLATE_ID -> AccumulateStridedDecoder.rankEncodingOffset();
            case SignalDecoder.TEMPLATE_ID -> SignalDecoder.rankEncodingOffset();
            case NotifyDecoder.TEMPLATE_ID -> NotifyDecoder.rankEncodingOffset();
            case UnlockDecoder.TEMPLATE_ID -> UnlockDecoder.rankEncodingOffset();
            case UnlockWindowDecoder.TEMPLATE_ID -> UnlockWindowDecoder.rankEncodingOffset();
            case GetDecoder.TEMPLATE_ID -> GetDecoder.rankEncodingOffset();
            case GetVectorDecoder.TEMPLATE_ID -> GetVectorDecoder.rankEncodingOffset();
            case GetStridedDecoder.TEMPLATE_ID -> GetStridedDecoder.rankEncodingOffset();
            case AtomicDecoder.TEMPLATE_ID -> AtomicDecoder.rankEncodingOffset();
            case LockDecoder.TEMPLATE_ID -> LockDecoder.rankEncodingOffset();
            case ProbeDecoder.TEMPLATE_ID -> ProbeDecoder.rankEncodingOffset();
            case LockWindowDecoder.TEMPLATE_ID -> LockWindowDecoder.rankEncodingOffset();
            case LockedPutDecoder.TEMPLATE_ID -> LockedPutDecoder.rankEncodingOffset();
            case LockedAccumulateDecoder.TEMPLATE_ID -> LockedAccumulateDecoder.rankEncodingOffset();
            case LockedGetDecoder.TEMPLATE_ID -> LockedGetDecoder.rankEncodingOffset();
            case GetAccumulateDecoder.TEMPLATE_ID -> GetAccumulateDecoder.rankEncodingOffset();
            default -> -1;
        };
    }

    /** Where in the block a one-way request has its flags. */
    public static int flagsOffset(int template) {
        return switch (template) {
            case PutVectorDecoder.TEMPLATE_ID -> PutVectorDecoder.flagsEncodingOffset();
            case AccumulateVectorDecoder.TEMPLATE_ID -> AccumulateVectorDecoder.flagsEncodingOffset();
            case NotifyDecoder.TEMPLATE_ID -> NotifyDecoder.flagsEncodingOffset();
            case UnlockWindowDecoder.TEMPLATE_ID -> UnlockWindowDecoder.flagsEncodingOffset();
            default -> PutDecoder.flagsEncodingOffset(); // all others begin with segment, offset, rank, flags
        };
    }
}

package org.tributary.server.io;

import io.netty.channel.ChannelHandlerContext;
import org.tributary.wire.Frames;
import org.tributary.wire.codec.ErrorCode;

/**
 * Answers on a channel, where requests of many ranks are executed: an error of a one-way request says which one it was.
 * Owned by the event loop.
 */
public final class ChannelReplies extends ReplyWriter {
    private final Requester requester;
    private long oneWay;

    public ChannelReplies(ReplyBufferPool pool, ChannelHandlerContext context, Runnable onUnblocked,
        Requester requester) {
        super(pool, context, onUnblocked);
        this.requester = requester;
    }

    /** The request that is executed now is the channel's {@code number}th one-way request, from 1; 0 if it is none. */
    public void executing(long number) {
        oneWay = number;
    }

    @Override
    public void error(long requestId, ErrorCode code, int rank, long segmentId, long offset, long length, long bound,
        String detail) {
        long id = requestId;
        if (requestId == Frames.NO_REQUEST) {
            if (oneWay > 0) {
                id = Frames.NO_REQUEST - oneWay;
            } else {
                requester(requester.number());
            }
        }
        super.error(id, code, rank, segmentId, offset, length, bound, detail);
    }
}

package org.tributary.server.io;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.unix.Errors;
import java.io.IOException;
import org.tributary.wire.record.KernelTls;
import org.tributary.wire.record.KernelTlsException;
import org.tributary.wire.record.RecordException;

/**
 * One connection whose records the kernel makes and opens: what is read and written here is as in the clear. Keeps the
 * keys fresh, tells records that do not verify from other failures, and marks the end of the stream. Owned by the event
 * loop.
 */
public final class KernelStream extends ChannelDuplexHandler implements SecuredStream {
    private static final int EBADMSG = 74;
    /** Keeps Netty from reading a socket; it closes the connection when anything fails of an {@link IOException}. */
    private static final RuntimeException NOT_NOW = new NotNowException();

    private final KernelTls tls;
    private ChannelHandlerContext context;
    private long unflushed;
    private boolean failed;

    KernelStream(KernelTls tls) {
        this.tls = tls;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public void write(ChannelHandlerContext writing, Object message, ChannelPromise promise) {
        unflushed += ((ByteBuf) message).readableBytes();
        writing.write(message, promise);
    }

    @Override
    public void flush(ChannelHandlerContext flushing) {
        try {
            if (flushing.channel().isActive()) { // others could have its descriptor otherwise
                tls.beforeWrite(unflushed);
            }
            unflushed = 0;
            flushing.flush();
        } catch (IOException e) {
            Throwable problem = problemOf(e, true);
            failed |= problem instanceof RecordException;
            flushing.fireExceptionCaught(problem != null ? problem : e);
            flushing.close();
        }
    }

    /** The socket is to be read now: call within Netty's read, which ends here when there is nothing to read. */
    public void beforeRead() {
        boolean mayRead;
        try {
            mayRead = tls.beforeRead();
        } catch (IOException e) {
            context.executor().execute(() -> exceptionCaught(context, e)); // not now: this is within a read
            mayRead = false;
        }
        if (!mayRead) {
            throw NOT_NOW;
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext reading, Object message) throws IOException {
        int bytes = ((ByteBuf) message).readableBytes();
        reading.fireChannelRead(message);
        if (reading.channel().isActive()) {
            tls.afterRead(bytes);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext caught, Throwable cause) {
        if (cause instanceof NotNowException) {
            return;
        }
        Throwable problem = problemOf(cause, caught.channel().isActive());
        failed |= problem instanceof RecordException;
        if (problem != null) {
            caught.fireExceptionCaught(problem);
        }
    }

    private Throwable problemOf(Throwable cause, boolean isOpen) {
        boolean isKnown = cause instanceof RecordException || cause instanceof KernelTlsException;
        return cause instanceof IOException failure && !isKnown ? explained(failure, isOpen) : cause;
    }

    /** A write that fails, as it does once a record did not verify, closes the socket before it tells. */
    private IOException explained(IOException failure, boolean isOpen) {
        if (isOpen) {
            return tls.explain(failure);
        }
        boolean isUnverified = failure instanceof Errors.NativeIoException kernel && kernel.expectedErr() == -EBADMSG;
        return isUnverified ? RecordException.ofKernel(failure) : failure;
    }

    /** Nothing follows; the other side is told if nothing is in the way. */
    @Override
    public void close(ChannelHandlerContext closing, ChannelPromise promise) {
        ChannelOutboundBuffer outbound = closing.channel().unsafe().outboundBuffer();
        if (!failed && closing.channel().isActive() && outbound != null && outbound.isEmpty()) {
            tls.end();
        }
        closing.close(promise);
    }

    @Override
    public String problemOfEnd() {
        return tls.isEnded() || failed ? null : CUT_OFF;
    }

    @Override
    public void release() {
        // Nothing is held here.
    }

    /** No failure: tells nothing but itself, and is thrown often. */
    private static final class NotNowException extends RuntimeException {
        private static final long serialVersionUID = 1;

        NotNowException() {
            super("nothing to read yet", null, false, false);
        }
    }
}

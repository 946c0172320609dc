package org.tributary.wire.record;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import org.tributary.wire.socket.SocketDescriptor;

/** Over records that the kernel makes and opens. Close it here, not the socket: others could get its descriptor. */
public final class KernelTlsChannel extends EncryptedChannel {
    private final SocketChannel socket;
    private final KernelTls tls;
    private boolean isEnded;

    private KernelTlsChannel(SocketChannel socket, KernelTls tls) {
        this.socket = socket;
        this.tls = tls;
    }

    /**
     * From now on everything on a connected socket travels so; nothing may have been read that has come in records.
     *
     * @param socket does not block
     * @throws IOException when the kernel refuses
     */
    public static KernelTlsChannel begin(SocketChannel socket, byte[] sendingSecret, byte[] receivingSecret)
        throws IOException {
        return begin(socket, sendingSecret, receivingSecret, KernelTls.RENEW_AFTER);
    }

    static KernelTlsChannel begin(SocketChannel socket, byte[] sendingSecret, byte[] receivingSecret, int renewAfter)
        throws IOException {
        return new KernelTlsChannel(socket,
            KernelTls.begin(SocketDescriptor.of(socket), sendingSecret, receivingSecret, renewAfter));
    }

    /** The descriptor belongs to this socket as long as the lock is held. */
    private void check() throws ClosedChannelException {
        if (!socket.isOpen()) {
            throw new ClosedChannelException();
        }
    }

    @Override
    public synchronized long write(ByteBuffer[] sources, int from, int count) throws IOException {
        long bytes = 0;
        for (int i = from; i < from + count; i++) {
            bytes += sources[i].remaining();
        }
        try {
            beforeWrite(bytes);
            return socket.write(sources, from, count);
        } catch (ClosedChannelException | KernelTlsException e) {
            throw e;
        } catch (IOException e) {
            IOException problem = tls.explain(e);
            throw problem != null ? problem : e;
        }
    }

    private void beforeWrite(long bytes) throws IOException {
        check();
        if (isEnded) {
            throw new ClosedChannelException();
        }
        tls.beforeWrite(bytes);
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        int count = readSocket(target);
        if (count < 0 && !isOtherEnded()) {
            throw RecordChannel.cutOff("without a last record");
        }
        return count;
    }

    private synchronized boolean isOtherEnded() {
        return tls.isEnded();
    }

    private int readSocket(ByteBuffer target) throws IOException {
        try {
            synchronized (this) {
                check();
                boolean mayRead = tls.beforeRead();
                if (tls.isEnded()) {
                    return -1;
                }
                if (!mayRead) {
                    return 0;
                }
                int count = socket.read(target);
                if (count > 0) {
                    tls.afterRead(count);
                }
                return count;
            }
        } catch (ClosedChannelException | RecordException | KernelTlsException e) {
            throw e;
        } catch (IOException e) {
            return explained(e);
        }
    }

    private synchronized int explained(IOException failure) throws IOException {
        check();
        IOException problem = tls.explain(failure);
        if (problem != null) {
            throw problem;
        }
        return tls.isEnded() ? -1 : 0;
    }

    @Override
    public boolean hasPending() {
        return false;
    }

    @Override
    public boolean flush() {
        return true;
    }

    @Override
    public boolean hasReadable() {
        return false;
    }

    @Override
    public synchronized void end() {
        if (!isEnded && socket.isOpen()) {
            isEnded = true;
            tls.end();
        }
    }

    @Override
    public boolean isOpen() {
        return socket.isOpen();
    }

    @Override
    public synchronized void close() throws IOException {
        socket.close();
    }
}

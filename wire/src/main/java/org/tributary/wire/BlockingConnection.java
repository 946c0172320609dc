package org.tributary.wire;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.security.SecureRandom;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;
import org.tributary.config.NetworkEncryption;
import org.tributary.wire.codec.RefusalCode;
import org.tributary.wire.codec.Role;
import org.tributary.wire.record.EncryptedChannel;
import org.tributary.wire.record.KernelTlsChannel;
import org.tributary.wire.record.RecordChannel;
import org.tributary.wire.record.RecordOpener;
import org.tributary.wire.record.RecordSealer;
import org.tributary.wire.socket.TcpWatch;

/**
 * The connecting side of a connection while it is set up: one frame at a time, every wait with a deadline. Once
 * admitted, {@link #release()} hands the channel over. Not thread-safe.
 */
public final class BlockingConnection implements AutoCloseable {
    private static final int BUFFER_BYTES = 64 * 1024;
    /** How often a connection is tried again while too many wait to be accepted. */
    private static final long ACCEPT_LOOK_NS = 2_000_000;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final String peer;
    private Deadline deadline;
    private ByteChannel stream;
    private EncryptedChannel records;
    private boolean hasDeadline = true;
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final UnsafeBuffer buffer = new UnsafeBuffer(bytes);

    private BlockingConnection(SocketChannel channel, SocketAddress address, Deadline deadline) throws IOException {
        this.channel = channel;
        this.stream = channel;
        this.peer = address.toString();
        this.deadline = deadline;
        this.selector = channel.provider().openSelector();
        channel.configureBlocking(false);
        this.key = channel.register(selector, 0);
    }

    /**
     * Connects; {@code deadline} bounds everything that this object does from now on. A name may stand for several
     * addresses, not all of which can be reached from here: they are tried in turn, and share the time.
     *
     * @param address      of a Unix-domain or TCP socket
     * @param socketBuffer of the kernel, for each direction of a TCP connection, in bytes; 0 for the system's own
     * @throws ConnectException when nobody listens, at one of several addresses at least, so that trying again may help
     */
    public static BlockingConnection connect(SocketAddress address, int socketBuffer, Deadline deadline)
        throws IOException {
        return address instanceof InetSocketAddress name
            ? connect(name, addressesOf(name, deadline), socketBuffer, deadline)
            : connect(address, socketBuffer, deadline, deadline);
    }

    /** The same with the system's own buffers. */
    public static BlockingConnection connect(SocketAddress address, Deadline deadline) throws IOException {
        return connect(address, 0, deadline);
    }

    private static InetAddress[] addressesOf(InetSocketAddress name, Deadline deadline) throws UnknownHostException {
        long beganNs = System.nanoTime();
        InetAddress[] addresses = InetAddress.getAllByName(name.getHostString());
        deadline.passed(System.nanoTime() - beganNs);
        return addresses;
    }

    /** The same, within {@code timeoutNs}. */
    public static BlockingConnection connect(SocketAddress address, long timeoutNs) throws IOException {
        return connect(address, Deadline.in(timeoutNs));
    }

    /** Whether what kept a connection from being admitted may not do so next time. */
    public static boolean mayTryAgain(IOException problem) {
        return problem instanceof UnfinishedHandshakeException || problem instanceof SocketTimeoutException
            || problem instanceof RefusedException refused && refused.code() == RefusalCode.TOO_MANY;
    }

    /** Whether the calling thread was interrupted, so that trying again is of no use. */
    public static boolean isInterrupt(IOException problem) {
        return problem instanceof InterruptedIOException && !(problem instanceof SocketTimeoutException);
    }

    /** Connects to a name of which the addresses are known. */
    public static BlockingConnection connect(InetSocketAddress name, InetAddress[] addresses, int socketBuffer,
        Deadline deadline) throws IOException {
        StringJoiner problems = new StringJoiner("; ");
        boolean refused = false;
        boolean late = false;
        for (int i = 0; i < addresses.length; i++) {
            try {
                return connect(new InetSocketAddress(addresses[i], name.getPort()), socketBuffer,
                    deadline.part(deadline.leftNs() / (addresses.length - i)), deadline);
            } catch (IOException e) {
                if (addresses.length == 1 || isInterrupt(e)) {
                    throw e;
                }
                refused |= e instanceof ConnectException;
                late |= e instanceof SocketTimeoutException;
                problems.add(addresses[i].getHostAddress() + ": " + e.getMessage());
            }
        }
        String problem = "none of the addresses of " + name.getHostString() + " takes a connection at port "
            + name.getPort() + ": " + problems;
        throw refused ? new ConnectException(problem) : late ? new SocketTimeoutException(problem)
            : new IOException(problem);
    }

    /** Connects within one time, and leaves the other for what follows. */
    private static BlockingConnection connect(SocketAddress address, int socketBuffer, Deadline until,
        Deadline deadline) throws IOException {
        boolean tcp = address instanceof InetSocketAddress;
        SocketChannel channel = tcp ? SocketChannel.open() : connectedTo((UnixDomainSocketAddress) address, until);
        BlockingConnection connection = null;
        try {
            connection = new BlockingConnection(channel, address, until);
            if (tcp) {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                if (socketBuffer > 0) { // before the first segment, which says how far the window may grow
                    channel.setOption(StandardSocketOptions.SO_SNDBUF, socketBuffer);
                    channel.setOption(StandardSocketOptions.SO_RCVBUF, socketBuffer);
                }
                if (!channel.connect(address)) {
                    while (!channel.finishConnect()) {
                        connection.await(SelectionKey.OP_CONNECT);
                    }
                }
            }
            connection.deadline = deadline;
            return connection;
        } catch (IOException | RuntimeException e) {
            if (connection != null) {
                connection.close();
            }
            channel.close();
            throw e;
        }
    }

    /** The same failure, saying also of which socket. */
    private static SocketException named(SocketException e, UnixDomainSocketAddress address) {
        String message = "cannot connect to " + address + ": " + e.getMessage();
        SocketException named = e instanceof ConnectException ? new ConnectException(message)
            : new SocketException(message);
        named.initCause(e);
        return named;
    }

    /** A server that was stopped accepts nobody: as many as its queue takes are connected, the others have to wait. */
    private static SocketChannel connectedTo(UnixDomainSocketAddress address, Deadline until) throws IOException {
        while (true) {
            SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                channel.configureBlocking(false);
                channel.connect(address); // at once, or never
                return channel;
            } catch (SocketException e) {
                channel.close();
                if (e instanceof ConnectException || !Files.isWritable(address.getPath())) {
                    throw named(e, address); // nobody listens, or there is no such socket for this user
                }
                if (Thread.currentThread().isInterrupted()) {
                    throw new InterruptedIOException("interrupted while waiting for " + address);
                }
                if (until.isOver()) {
                    throw new SocketTimeoutException("the communication server at " + address
                        + " accepts no connection in time: look whether it was stopped (" + e.getMessage() + ")");
                }
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
            LockSupport.parkNanos(ACCEPT_LOOK_NS);
        }
    }

    private void await(int operation) throws IOException {
        key.interestOps(operation);
        if (!hasDeadline) {
            selector.select();
            selector.selectedKeys().clear();
            return;
        }
        while (!awaitReady()) {
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException("interrupted while waiting for " + peer);
            }
        }
        selector.selectedKeys().clear();
    }

    /** Waits until the next look; when the time is over, what has come is taken all the same. */
    private boolean awaitReady() throws IOException {
        long leftNs = deadline.leftNs();
        if (leftNs > 0) {
            return selector.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(Math.min(leftNs, Deadline.LOOK_NS)))) > 0;
        }
        if (selector.selectNow() > 0) {
            return true;
        }
        throw new SocketTimeoutException("no answer from " + peer + " in time");
    }

    /**
     * Takes part in a {@link Handshake}, and joins: from then on the server takes an end of this connection for that of
     * its opener. What may fail belongs before this.
     *
     * @param wanted the node whose server is to answer
     * @return the handshake, which knows what the server takes and the secrets of this connection
     * @throws RefusedException             when either side does not satisfy the other
     * @throws UnfinishedHandshakeException when the connection breaks
     * @throws SocketTimeoutException       when the other side does not answer in time
     */
    public ConnectingHandshake admit(Membership membership, Role role, int rank, int node, int wanted)
        throws IOException {
        ConnectingHandshake handshake = new ConnectingHandshake(membership,
            new Handshake.Peer(role, rank, node, ProcessHandle.current().pid()), wanted, peer, Handshake.nonce(RANDOM));
        byte[] next = handshake.hello();
        while (!handshake.isAdmitted()) {
            next = handshake.receive(buffer, 0, exchange(next));
            if (handshake.refusal() != null) {
                throw refused(handshake.refusal(), next);
            }
        }
        encrypt(membership.encryption(), handshake);
        say(handshake.joined());
        return handshake;
    }

    /** Sends a frame of the handshake and receives the next one; returns its length. */
    private int exchange(byte[] frame) throws IOException {
        try {
            say(frame);
            return receive();
        } catch (RefusedException | InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            throw new UnfinishedHandshakeException(e instanceof EOFException ? e.getMessage()
                : "the connection to " + peer + " broke while it was set up: " + e.getMessage(), e);
        }
    }

    /** Encrypts all that follows between nodes, if the job wants it; only the handshake may have been read yet. */
    private void encrypt(NetworkEncryption encryption, Handshake handshake) throws IOException {
        if (encryption != NetworkEncryption.NONE && channel.getRemoteAddress() instanceof InetSocketAddress) {
            records = encryption == NetworkEncryption.KTLS
                ? KernelTlsChannel.begin(channel, handshake.sendingSecret(), handshake.receivingSecret())
                : new RecordChannel(channel, new RecordSealer(handshake.sendingSecret()),
                    new RecordOpener(handshake.receivingSecret()));
            stream = records;
        }
    }

    /** Says why it hangs up, so that the server can tell its operator. */
    private RefusedException refused(Handshake.Refusal refusal, byte[] farewell) {
        RefusedException refused = new RefusedException(refusal.code(), refusal.detail());
        try {
            if (farewell.length > 0) {
                say(farewell);
            }
        } catch (IOException e) {
            refused.addSuppressed(e);
        }
        return refused;
    }

    private void say(byte[] frame) throws IOException {
        buffer.putBytes(0, frame);
        send(frame.length - Frames.HEADER_BYTES);
    }

    /** From now on the kernel breaks the connection when that of the other side is silent for so long. */
    public void endWhenSilent(long timeoutNs) throws IOException {
        TcpWatch.endWhenSilent(channel, timeoutNs);
    }

    /** From now on nothing has a deadline; {@link #close} from another thread ends a wait with an exception. */
    public void waitForever() {
        hasDeadline = false;
    }

    /** Buffer for one frame; the message header goes to {@link Frames#LENGTH_BYTES}. */
    public UnsafeBuffer buffer() {
        return buffer;
    }

    /** Sends the frame in the buffer, of that many bytes after the header. */
    public void send(int bytesAfterHeader) throws IOException {
        buffer.putInt(0, Frames.HEADER_BYTES + bytesAfterHeader);
        bytes.limit(Frames.HEADER_BYTES + bytesAfterHeader).position(0);
        while (bytes.hasRemaining()) {
            if (stream.write(bytes) == 0) {
                await(SelectionKey.OP_WRITE);
            }
        }
        while (records != null && !records.flush()) {
            await(SelectionKey.OP_WRITE);
        }
    }

    /** Sends a short frame from a buffer of its own, also while another thread waits in {@link #receive}. */
    public void sendBeside(ByteBuffer frame) throws IOException {
        while (frame.hasRemaining()) {
            if (stream.write(frame) == 0) {
                throw new IOException(peer + " takes nothing");
            }
        }
        if (records != null && !records.flush()) {
            throw new IOException(peer + " takes nothing");
        }
    }

    /** Receives one frame into the buffer and not a byte more; returns its length. */
    public int receive() throws IOException {
        read(0, Frames.LENGTH_BYTES);
        int length = buffer.getInt(0);
        if (length < Frames.HEADER_BYTES || length > BUFFER_BYTES) {
            throw new RefusedException(RefusalCode.OUT_OF_ORDER, "what answers at " + peer
                + " does not speak Tributary's protocol: frame of " + length + " bytes");
        }
        read(Frames.LENGTH_BYTES, length);
        return length;
    }

    private void read(int from, int to) throws IOException {
        bytes.limit(to).position(from);
        while (bytes.hasRemaining()) {
            int count = stream.read(bytes);
            if (count < 0) {
                throw new EOFException(peer + " closed the connection while it was set up");
            }
            if (count == 0) {
                await(SelectionKey.OP_READ);
            }
        }
    }

    /** The non-blocking channel, free of this object's selector; this object must not be used after. */
    public SocketChannel release() throws IOException {
        selector.close();
        return channel;
    }

    /** The same channel as one that is encrypted; null when what follows the handshake travels in the clear. */
    public EncryptedChannel records() {
        return records;
    }

    @Override
    public void close() {
        try {
            if (records != null) {
                records.end();
            }
        } catch (IOException ignored) {
            // Then the other side knows already.
        }
        try {
            selector.close();
            stream.close();
        } catch (IOException ignored) {
            // Closing is all that was wanted of it.
        }
    }
}

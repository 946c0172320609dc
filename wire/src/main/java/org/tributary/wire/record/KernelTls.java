package org.tributary.wire.record;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import org.tributary.wire.socket.ControlMessages;
import org.tributary.wire.socket.SocketDescriptor;
import org.tributary.wire.socket.SocketOptions;

/**
 * A TCP connection whose records the kernel makes and opens (kTLS, Documentation/networking/tls.rst): records of TLS
 * 1.3 (RFC 8446, section 5) with AES-128-GCM, under keys of a {@link RecordKey}. Its owner reads and writes the socket
 * as ever, and tells of that: {@link #beforeWrite}, {@link #beforeRead}, {@link #afterRead}, and {@link #explain} when
 * one of them has failed: once a record does not verify, writing fails, too.
 *
 * <p>Two records carry no content. <em>KeyUpdate</em> (RFC 8446, 4.6.3) says that the next key follows; the sender
 * takes it after {@link #RENEW_AFTER} records. The kernel stops there, and says only by an error that it did, or
 * nothing at all when it has looked ahead while it filled a buffer. So the receiver looks for it before and after each
 * read, once there have been so many records. <em>close_notify</em> (6.1) is the last record, so that a stream that was
 * cut off can be told from one that has ended.
 *
 * <p>Belongs to the owner of the connection; not thread-safe.
 */
public final class KernelTls {
    /** After so many records a sender takes the next key: half of what a key may see. */
    public static final int RENEW_AFTER = Records.MAX_PER_KEY / 2;

    private static final int TCP_ULP = 31;
    private static final int SOL_TLS = 282;
    private static final int TLS_TX = 1;
    private static final int TLS_RX = 2;
    private static final int RECORD_TYPE_TO_SET = 1;
    private static final int RECORD_TYPE_GOT = 2;
    private static final short TLS_1_3 = 0x0304;
    private static final short AES_GCM_128 = 51;

    // struct tls12_crypto_info_aes_gcm_128 of linux/tls.h: version, cipher (16 bits each), iv 8, key 16, salt 4,
    // sequence number 8; the vector of RFC 8446 is salt and iv.
    private static final int INFO_BYTES = 40;
    private static final int SALT_BYTES = 4;
    private static final int SEQUENCE_AT = 32;

    private static final int ALERT = 21;
    private static final int HANDSHAKE = 22;
    private static final byte[] CLOSE_NOTIFY = {1, 0};
    private static final byte[] KEY_UPDATE = {24, 0, 0, 1, 0};
    /** A record that a write makes has so many bytes, on average, unless it is the write's last. */
    private static final int RECORD_BYTES_AT_LEAST = 1024;

    private static final int EAGAIN = 11;
    private static final int EINVAL = 22;
    private static final int EBUSY = 16;
    private static final int EBADMSG = 74;
    private static final int EMSGSIZE = 90;

    /** Next record of the connection; one without content has been taken. */
    private enum Next { NOTHING_YET, CONTENT_OR_FAILURE, NO_CONTENT }

    private final int descriptor;
    private final int renewAfter;
    private final ControlMessages messages = new ControlMessages(SOL_TLS);
    private RecordKey sending;
    private RecordKey receiving;
    private KeyUse sent;
    private KeyUse received;
    private long opened;
    private boolean ended;

    private KernelTls(int descriptor, byte[] sendingSecret, byte[] receivingSecret, int renewAfter) {
        this.descriptor = descriptor;
        this.renewAfter = renewAfter;
        this.sending = new RecordKey(sendingSecret);
        this.receiving = new RecordKey(receivingSecret);
        this.sent = new KeyUse(renewAfter);
        this.received = new KeyUse(renewAfter);
    }

    /**
     * From now on everything on a connected TCP socket travels in records. Nothing may have been read from it that
     * the other side has sent in records.
     *
     * @throws KernelTlsException when the kernel refuses
     */
    public static KernelTls begin(int descriptor, byte[] sendingSecret, byte[] receivingSecret) throws IOException {
        return begin(descriptor, sendingSecret, receivingSecret, RENEW_AFTER);
    }

    /** The same with another time to take the next key, which is to be the same at both ends. */
    public static KernelTls begin(int descriptor, byte[] sendingSecret, byte[] receivingSecret, int renewAfter)
        throws IOException {
        KernelTls tls = new KernelTls(descriptor, sendingSecret, receivingSecret, renewAfter);
        check("TCP_ULP", attach(descriptor));
        check("TLS_TX", install(descriptor, TLS_TX, tls.sending));
        check("TLS_RX", install(descriptor, TLS_RX, tls.receiving));
        return tls;
    }

    private static void check(String option, int errno) throws KernelTlsException {
        if (errno != 0) {
            throw new KernelTlsException("the kernel refuses to encrypt a connection (kTLS): " + option + ", errno "
                + errno);
        }
    }

    private static int attach(int descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            return SocketOptions.set(descriptor, SocketOptions.IPPROTO_TCP, TCP_ULP,
                arena.allocateFrom(ValueLayout.JAVA_BYTE, (byte) 't', (byte) 'l', (byte) 's'));
        }
    }

    private static int install(int descriptor, int direction, RecordKey key) {
        try (Arena arena = Arena.ofConfined()) {
            byte[] bytes = cryptoInfo(key);
            MemorySegment info = arena.allocate(INFO_BYTES, Long.BYTES).copyFrom(MemorySegment.ofArray(bytes));
            try {
                return SocketOptions.set(descriptor, SOL_TLS, direction, info);
            } finally {
                info.fill((byte) 0);
                Arrays.fill(bytes, (byte) 0);
            }
        }
    }

    /** The kernel's structure for a key, none of whose records has been: tls12_crypto_info_aes_gcm_128. */
    static byte[] cryptoInfo(RecordKey key) {
        byte[] vector = key.vector();
        return ByteBuffer.allocate(INFO_BYTES).order(ByteOrder.nativeOrder()).putShort(TLS_1_3).putShort(AES_GCM_128)
            .put(vector, SALT_BYTES, vector.length - SALT_BYTES).put(key.key().getEncoded())
            .put(vector, 0, SALT_BYTES).array();
    }

    /**
     * Why the kernel of this machine cannot do it, and what to do then; null when it can. Tries it, on a connection of
     * its own over the loopback interface.
     */
    public static String problem() {
        String kernel = "network.encryption = ktls: the kernel of this machine (Linux "
            + System.getProperty("os.version") + ") ";
        String instead = ". Use network.encryption = aes-gcm, which needs nothing of the kernel";
        try (ServerSocketChannel listener = ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
             SocketChannel socket = SocketChannel.open(listener.getLocalAddress())) {
            String problem = problemOf(SocketDescriptor.of(socket));
            return problem == null ? null : kernel + problem + instead;
        } catch (IOException e) {
            return kernel + "could not be asked for kTLS: " + e.getMessage() + instead;
        }
    }

    private static String problemOf(int descriptor) {
        RecordKey key = new RecordKey(new byte[Records.SECRET_BYTES]);
        int errno = attach(descriptor);
        if (errno != 0) {
            return "has no kTLS, errno " + errno + ": its module tls is not loaded (modprobe tls, as root, on every"
                + " node), or it was built without CONFIG_TLS";
        }
        errno = install(descriptor, TLS_TX, key);
        errno = errno != 0 ? errno : install(descriptor, TLS_RX, key);
        if (errno != 0) {
            return "takes no TLS 1.3 with AES-128-GCM, errno " + errno + ": it may lack CONFIG_CRYPTO_GCM";
        }
        errno = install(descriptor, TLS_TX, key.next());
        return errno == 0 ? null : errno == EBUSY ? "cannot renew the keys of kTLS; from Linux 6.14 on it can"
            : "refuses to renew keys, errno " + errno;
    }

    /** Records in that direction under its key, as the kernel counts them. */
    private long count(int direction) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment info = arena.allocate(INFO_BYTES, Long.BYTES);
            if (!SocketOptions.get(descriptor, SOL_TLS, direction, info,
                arena.allocateFrom(ValueLayout.JAVA_INT, INFO_BYTES))) {
                throw new KernelTlsException("the kernel does not tell how many records an encrypted connection (kTLS)"
                    + " has had");
            }
            long records = sequence(info.asByteBuffer());
            info.fill((byte) 0);
            return records;
        }
    }

    /** The sequence number in what the kernel tells of a direction. */
    static long sequence(ByteBuffer info) {
        return info.order(ByteOrder.BIG_ENDIAN).getLong(SEQUENCE_AT);
    }

    /**
     * So many bytes, at most, are to be written by one call now.
     *
     * @throws KernelTlsException when the kernel refuses the next key
     * @throws IOException        when the connection does not carry the word of it; {@link #explain} says why
     */
    public void beforeWrite(long bytes) throws IOException {
        sent.add(1 + bytes / RECORD_BYTES_AT_LEAST);
        if (sent.mayBeReached()) {
            sent.count(count(TLS_TX));
            if (sent.isReached()) {
                renew();
            }
        }
    }

    private void renew() throws IOException {
        int result = messages.send(descriptor, RECORD_TYPE_TO_SET, HANDSHAKE, KEY_UPDATE);
        if (result == -EAGAIN) {
            return; // the socket is full; there is time until the next write, and the one after that
        }
        if (result != KEY_UPDATE.length) {
            throw new IOException("a KeyUpdate cannot be written, result " + result);
        }
        sending = sending.next();
        sent = new KeyUse(renewAfter);
        check("TLS_TX", install(descriptor, TLS_TX, sending));
    }

    /**
     * The socket is to be read now.
     *
     * @return whether it may be; otherwise nothing is there yet, and reading could meet the KeyUpdate that is due: that
     *     fails as a broken connection does
     */
    public boolean beforeRead() throws IOException {
        return !received.isReached() || look() != Next.NOTHING_YET;
    }

    /** So many bytes were read. */
    public void afterRead(long bytes) throws IOException {
        received.add(bytes);
        if (received.mayBeReached()) {
            received.count(count(TLS_RX));
            if (received.isReached()) {
                look();
            }
        }
    }

    /**
     * Explains a failure of reading or writing.
     *
     * @return a {@link RecordException} when it was no record of this stream, the failure itself when it was something
     *     else; null when nothing is wrong: the stream {@linkplain #isEnded has ended}, or can be read on
     */
    public IOException explain(IOException failure) {
        try {
            return look() == Next.NO_CONTENT ? null : failure;
        } catch (IOException e) {
            if (e instanceof RecordException && e.getCause() == null) {
                e.initCause(failure);
            }
            return e;
        }
    }

    /** Takes a record without content, if one is next. */
    private Next look() throws IOException {
        int result = messages.receive(descriptor, true);
        int type = result < 0 ? -1 : messages.control(RECORD_TYPE_GOT);
        if (result == -EBADMSG || result == -EMSGSIZE || result == -EINVAL) {
            throw refused(RecordException.CHANGED);
        }
        if (type != ALERT && type != HANDSHAKE) {
            if (received.isReached() && count(TLS_RX) >= Records.MAX_PER_KEY) {
                throw refused("its sender has not taken another key after " + Records.MAX_PER_KEY);
            }
            return result == -EAGAIN ? Next.NOTHING_YET : Next.CONTENT_OR_FAILURE;
        }
        int length = messages.receive(descriptor, false);
        if (type == ALERT && isContent(length, CLOSE_NOTIFY)) {
            ended = true;
        } else if (type == HANDSHAKE && isContent(length, KEY_UPDATE)) {
            opened += count(TLS_RX);
            receiving = receiving.next();
            received = new KeyUse(renewAfter);
            check("TLS_RX", install(descriptor, TLS_RX, receiving));
        } else {
            throw refused("it is of type " + type + " and means nothing here");
        }
        return Next.NO_CONTENT;
    }

    private boolean isContent(int length, byte[] expected) {
        boolean is = length == expected.length;
        for (int i = 0; is && i < length; i++) {
            is = messages.content(i) == expected[i];
        }
        return is;
    }

    private RecordException refused(String problem) throws IOException {
        return RecordException.at(opened + count(TLS_RX), problem);
    }

    /** Whether the other side has said that nothing follows. */
    public boolean isEnded() {
        return ended;
    }

    /** Says that nothing follows, as far as the socket takes that at once. */
    public void end() {
        messages.send(descriptor, RECORD_TYPE_TO_SET, ALERT, CLOSE_NOTIFY);
    }
}

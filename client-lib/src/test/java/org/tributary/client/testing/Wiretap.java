package org.tributary.client.testing;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Arrays;

/**
 * Somebody on the network between ranks and the servers of other nodes: records what passes, and does what it likes
 * with the records of encrypted streams, which it can tell apart because their lengths are not secret.
 */
public final class Wiretap extends Proxy {
    /** Frames of the handshake in each direction, which travel in the clear. */
    private static final int HANDSHAKE_FRAMES = 2;

    /** What passes behind the handshake. */
    public enum Stream {
        /** Frames, whose length counts all of them. */
        CLEAR(Integer.BYTES) {
            @Override
            int rest(byte[] head) {
                return (head[0] & 0xFF | (head[1] & 0xFF) << 8 | (head[2] & 0xFF) << 16 | head[3] << 24)
                    - Integer.BYTES;
            }
        },
        /** Records of the project, whose length counts their content. */
        RECORDS(Integer.BYTES) {
            @Override
            int rest(byte[] head) {
                return (head[0] & 0xFF | (head[1] & 0xFF) << 8 | (head[2] & 0xFF) << 16) + 16;
            }
        },
        /** Records of TLS, whose length counts all that follows it. */
        TLS(5) {
            @Override
            int rest(byte[] head) {
                return (head[3] & 0xFF) << 8 | head[4] & 0xFF;
            }
        };

        private final int headBytes;

        Stream(int headBytes) {
            this.headBytes = headBytes;
        }

        /** Bytes that follow a head. */
        abstract int rest(byte[] head);

        /** Bytes of a head. */
        public int headBytes() {
            return headBytes;
        }
    }

    /** What becomes of a record: the bytes that are passed on instead; null cuts the stream off. */
    public interface Tamper {
        /** Number {@code index}, from 0, of the records of a connection in one direction. */
        byte[] pass(boolean toServer, int index, byte[] record);
    }

    private final Tamper tamper;
    private final Stream stream;
    private final ByteArrayOutputStream recorded = new ByteArrayOutputStream();

    /** Passes everything on as it is. */
    public Wiretap(Stream stream) {
        this(stream, (toServer, index, record) -> record);
    }

    /** Passes on what {@code tamper} makes of it. */
    public Wiretap(Stream stream, Tamper tamper) {
        this.stream = stream;
        this.tamper = tamper;
    }

    /** What has passed behind the handshakes, records one after the other. */
    public byte[] recorded() {
        synchronized (recorded) {
            return recorded.toByteArray();
        }
    }

    @Override
    void pass(Socket from, Socket to, boolean toServer) {
        try (from; to) {
            DataInputStream in = new DataInputStream(from.getInputStream());
            OutputStream out = to.getOutputStream();
            for (int i = 0; i < HANDSHAKE_FRAMES; i++) {
                out.write(read(in, Stream.CLEAR));
            }
            for (int index = 0;; index++) {
                byte[] record = read(in, stream);
                synchronized (recorded) {
                    recorded.write(record);
                }
                byte[] passed = tamper.pass(toServer, index, record);
                if (passed == null) {
                    to.shutdownOutput(); // and the sender sees nothing of that
                    in.transferTo(OutputStream.nullOutputStream());
                    return;
                }
                out.write(passed);
            }
        } catch (IOException e) {
            // One end has closed; so does the other.
        }
    }

    /** A frame or record. */
    private static byte[] read(InputStream in, Stream stream) throws IOException {
        byte[] head = readFully(in, stream.headBytes());
        int rest = stream.rest(head);
        byte[] all = Arrays.copyOf(head, head.length + rest);
        System.arraycopy(readFully(in, rest), 0, all, head.length, rest);
        return all;
    }

    private static byte[] readFully(InputStream in, int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new IOException("the end");
        }
        return bytes;
    }
}

package org.tributary.launcher.link;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.tributary.wire.shm.TraceLayout;

/**
 * A piece of a rank's trace on its way to the launcher. Pieces of a rank come one after the other; between them the
 * file has zeros. The last one is empty.
 *
 * @param length of the whole file
 */
public record TracePart(int rank, long length, long offset, byte[] bytes) {
    /** Of the frame; the other kinds are those of {@link Codec}. */
    public static final byte KIND = 36;
    /** Of a piece. */
    public static final int MOST_BYTES = 64 << 10;

    public Frame frame(int node) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(body)) {
            out.writeInt(rank);
            out.writeLong(length);
            out.writeLong(offset);
            out.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Frame(KIND, node, body.toByteArray());
    }

    public static TracePart of(Frame frame) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(frame.body()));
        TracePart part = new TracePart(in.readInt(), in.readLong(), in.readLong(), in.readAllBytes());
        if (part.length < 0 || part.length > TraceLayout.fileBytes() || part.offset < 0
            || part.offset > part.length - part.bytes.length) {
            throw new IOException("bytes " + part.offset + " to " + (part.offset + part.bytes.length)
                + " of a trace of " + part.length);
        }
        return part;
    }

    public boolean isLast() {
        return bytes.length == 0;
    }
}

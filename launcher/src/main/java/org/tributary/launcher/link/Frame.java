package org.tributary.launcher.link;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;

/**
 * A message between a launcher and an agent: length of the body (4 bytes), kind (1), node (4), body; numbers are
 * big-endian. Those between pass frames on without looking into them.
 *
 * @param node of the agent that it is from or for, or {@link #ALL}
 */
public record Frame(byte kind, int node, byte[] body) {
    /** For every agent. */
    public static final int ALL = -1;
    private static final int MOST_BYTES = 64 << 20;

    /** The next one, or null at the end of the stream. */
    public static Frame read(DataInputStream in) throws IOException {
        int length;
        try {
            length = in.readInt();
        } catch (EOFException e) {
            return null;
        }
        if (length < 0 || length > MOST_BYTES) {
            throw new IOException("a message of " + Integer.toUnsignedString(length) + " bytes: other output has got"
                + " between the messages");
        }
        byte kind = in.readByte();
        int node = in.readInt();
        byte[] body = in.readNBytes(length);
        if (body.length < length) {
            throw new EOFException("the connection ended within a message");
        }
        return new Frame(kind, node, body);
    }

    public void write(DataOutputStream out) throws IOException {
        out.writeInt(body.length);
        out.writeByte(kind);
        out.writeInt(node);
        out.write(body);
    }
}

package org.tributary.wire.status;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.tributary.wire.shm.Latencies;

/**
 * All that is told of a node in one step of a page that shows the job: how its processes are, what its server has
 * counted, how long calls of its ranks have taken.
 *
 * @param details   of what was asked for
 * @param latencies counts by kind and bucket of {@link Latencies}, which wrap around
 */
public record NodeSnapshot(NodeStatus status, NodeDetails details, ServerCounts counts, int[] latencies) {
    private static final int BUCKETS = Latencies.BYTES / Integer.BYTES;

    /** As bytes: what is 0 takes no room, so a node of a few ranks takes a few kilobytes. */
    public byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            write(out, NodeText.of(status).getBytes(StandardCharsets.UTF_8));
            write(out, NodeText.of(details).getBytes(StandardCharsets.UTF_8));
            write(out, counts.encode().array());
            out.writeInt((int) Arrays.stream(latencies).filter(count -> count != 0).count());
            for (int i = 0; i < latencies.length; i++) {
                if (latencies[i] != 0) {
                    out.writeShort(i);
                    out.writeInt(latencies[i]);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void write(DataOutputStream out, byte[] part) throws IOException {
        out.writeInt(part.length);
        out.write(part);
    }

    /**
     * The snapshot of bytes.
     *
     * @throws IllegalArgumentException when they are none
     */
    public static NodeSnapshot decode(byte[] bytes) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            NodeStatus status = NodeText.node(new String(part(in), StandardCharsets.UTF_8));
            NodeDetails details = NodeText.details(new String(part(in), StandardCharsets.UTF_8));
            ServerCounts counts = ServerCounts.decode(ByteBuffer.wrap(part(in)));
            int[] latencies = new int[BUCKETS];
            for (int left = in.readInt(); left > 0; left--) {
                latencies[in.readUnsignedShort()] = in.readInt();
            }
            if (in.available() > 0) {
                throw new IllegalArgumentException(in.available() + " bytes behind the snapshot of a node");
            }
            return new NodeSnapshot(status, details, counts, latencies);
        } catch (IOException | IndexOutOfBoundsException e) {
            throw new IllegalArgumentException("a snapshot of a node is cut off: " + e, e);
        }
    }

    private static byte[] part(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > in.available()) {
            throw new IOException(length + " bytes announced, " + in.available() + " there");
        }
        return in.readNBytes(length);
    }
}

package org.tributary.client.bootstrap;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.tributary.wire.Deadline;

/** The bytes between a rank and its process manager. */
abstract sealed class PmiChannel {
    abstract void write(byte[] bytes) throws IOException;

    /** Waits for bytes, a moment at most; 0 when none have come, -1 at the end. */
    abstract int read(byte[] into) throws IOException;

    static PmiChannel ofDescriptor(int descriptor) throws IOException {
        // A process that inherited the variable, and not the descriptor, must not write into whatever has its number.
        Path link = Path.of("/proc/self/fd/" + descriptor);
        String kind = Files.isSymbolicLink(link) ? Files.readSymbolicLink(link).toString() : "no descriptor";
        if (!kind.startsWith("socket:")) {
            throw new IOException("PMI_FD=" + descriptor + " is no connection of this process (" + kind
                + "): the launcher has started another process, from which this one has inherited the variable."
                + " Start this one without PMI_FD to make it a job of its own");
        }
        return new Descriptor(descriptor);
    }

    static PmiChannel ofPort(String port, long timeoutNs) throws IOException {
        int colon = port.lastIndexOf(':');
        try {
            return new Port(port.substring(0, Math.max(colon, 0)), Integer.parseInt(port.substring(colon + 1)),
                Math.toIntExact(Math.clamp(timeoutNs / 1_000_000, 1, Integer.MAX_VALUE)));
        } catch (IllegalArgumentException e) {
            throw new IOException("PMI_PORT='" + port + "' is not host:port", e);
        } catch (IOException e) {
            throw new IOException("PMI_PORT=" + port + ": " + e.getMessage(), e);
        }
    }

    /** PMI_FD: a socket that the launcher has left open. */
    private static final class Descriptor extends PmiChannel {
        private final int descriptor;

        private Descriptor(int descriptor) {
            this.descriptor = descriptor;
        }

        @Override
        void write(byte[] bytes) throws IOException {
            NativeCalls.write(descriptor, bytes);
        }

        @Override
        int read(byte[] into) throws IOException {
            if (!NativeCalls.await(descriptor, (int) (Deadline.LOOK_NS / 1_000_000))) {
                return 0;
            }
            int got = NativeCalls.read(descriptor, into);
            return got == 0 ? -1 : got;
        }
    }

    /** PMI_PORT: where the launcher listens. */
    private static final class Port extends PmiChannel {
        private final Socket socket = new Socket();

        private Port(String host, int port, int timeoutMs) throws IOException {
            socket.connect(new InetSocketAddress(host, port), timeoutMs);
            socket.setTcpNoDelay(true);
            socket.setSoTimeout((int) (Deadline.LOOK_NS / 1_000_000));
        }

        @Override
        void write(byte[] bytes) throws IOException {
            socket.getOutputStream().write(bytes);
        }

        @Override
        int read(byte[] into) throws IOException {
            try {
                return socket.getInputStream().read(into);
            } catch (SocketTimeoutException e) {
                return 0;
            }
        }
    }
}

package org.tributary.simulator;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/**
 * The costs of the steps of a message, in nanoseconds.
 *
 * @param sendNs a rank's call that sends a request
 * @param receiveNs a rank's call that receives an answer
 * @param latencyNs from the end of the sender's call until the receiver can read
 * @param readNs a server's read of one connection
 * @param requestNs a server's work on one request, or answer, in what it has read
 * @param writeNs a server's call that sends to one connection
 * @param picosPerByte of each step that touches the bytes
 * @param wakeNs until a server that has blocked in the kernel runs
 * @param spinNs how long it polls before it blocks
 * @param ringNs handing something over in shared memory, either way, on either side
 * @param connectNs a server's work on a connection that opens, handshake included
 */
public record Costs(long sendNs, long receiveNs, long latencyNs, long readNs, long requestNs, long writeNs,
    long picosPerByte, long wakeNs, long spinNs, long ringNs, long connectNs) {
    private static final long PICOS_PER_NANO = 1000;

    /** Those in the file {@code costs.properties}, which says where they come from. */
    public static Costs calibrated() {
        try (InputStream file = Costs.class.getResourceAsStream("costs.properties")) {
            Properties properties = new Properties();
            properties.load(file);
            return of(properties);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** From properties with the names of the components; throws when one is missing. */
    public static Costs of(Properties properties) {
        return new Costs(number(properties, "sendNs"), number(properties, "receiveNs"),
            number(properties, "latencyNs"), number(properties, "readNs"), number(properties, "requestNs"),
            number(properties, "writeNs"), number(properties, "picosPerByte"), number(properties, "wakeNs"),
            number(properties, "spinNs"), number(properties, "ringNs"), number(properties, "connectNs"));
    }

    private static long number(Properties properties, String name) {
        String text = properties.getProperty(name);
        if (text == null) {
            throw new IllegalArgumentException("the cost " + name + " is missing");
        }
        return Long.parseLong(text.strip());
    }

    long bytesNs(long bytes) {
        return bytes * picosPerByte / PICOS_PER_NANO;
    }
}

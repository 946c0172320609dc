package org.tributary.launcher.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SshConnectionTest {
    private static final String HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt"
        + "   uid  timeout inode";
    private final SshConnection connection = SshConnection.of("10.77.0.1 50000 10.77.0.2 22").orElseThrow();

    private static String line(String local, String remote, String timer, String retransmitted, String probes) {
        return "   7: " + local + " " + remote + " 01 00000024:00000000 " + timer + ":00000010 " + retransmitted
            + "     0        " + probes + " 123456 2 0000000000000000 20 4 30 10 -1";
    }

    private Optional<Integer> attempts(String... lines) {
        assumeTrue(ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN, "the lines are those of such a machine");
        return connection.attempts(Stream.concat(Stream.of(HEAD), Stream.of(lines)));
    }

    @Test
    void shouldCountAttemptsWhenTheOtherKernelDoesNotAnswer() {
        String other = line("02004D0A:0016", "01004D0A:C351", "01", "00000009", "0");
        assertEquals(Optional.empty(), attempts(other));
        assertEquals(Optional.of(18),
            attempts(other, line("02004D0A:0016", "01004D0A:C350", "01", "00000012", "0")));
        assertEquals(Optional.of(3), attempts(line("0000000000000000FFFF000002004D0A:0016",
            "0000000000000000FFFF000001004D0A:C350", "01", "00000003", "0")));
        assertEquals(Optional.of(2), attempts(line("02004D0A:0016", "01004D0A:C350", "04", "00000000", "3")));
    }

    @Test
    void shouldCountNothingWhenNothingIsOwed() {
        assertEquals(Optional.of(0), attempts(line("02004D0A:0016", "01004D0A:C350", "02", "00000000", "5")));
        assertEquals(Optional.of(0), attempts(line("02004D0A:0016", "01004D0A:C350", "01", "00000000", "0")));
        assertEquals(Optional.of(0), attempts(line("02004D0A:0016", "01004D0A:C350", "04", "00000000", "1")),
            "a closed window");
        assertEquals(0, connection.attempts(), "a connection that is not there");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "10.0.0.1 1", "UNKNOWN 65535 UNKNOWN 65535", "10.0.0.1 x 10.0.0.2 22", "a 1 b 2",
        "10.0.0.1 1 10.0.0.2 22 5"})
    void shouldBeNoneWhenTheVariableMakesNoSense(String variable) {
        assertEquals(Optional.empty(), SshConnection.of(variable));
    }

    /** The kernel's own table has to have the form that is expected. */
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void shouldBeInTheTableWhenConnected(String address) throws IOException {
        InetAddress here = InetAddress.ofLiteral(address);
        try (ServerSocket server = bound(here); Socket client = new Socket(here, server.getLocalPort());
             Socket accepted = server.accept()) {
            SshConnection found = SshConnection.of(address + " " + client.getLocalPort() + " " + address + " "
                + accepted.getLocalPort()).orElseThrow();
            List<Path> tables = List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));
            boolean isThere = false;
            for (Path table : tables) {
                isThere |= found.attempts(Files.readAllLines(table).stream()).isPresent();
            }
            assertTrue(isThere, () -> found.toString());
            assertEquals(0, found.attempts());
        }
    }

    private static ServerSocket bound(InetAddress here) {
        try {
            return new ServerSocket(0, 1, here);
        } catch (IOException e) {
            assumeTrue(false, "no address " + here + " here");
            throw new IllegalStateException(e);
        }
    }
}

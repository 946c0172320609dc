package org.tributary.launcher.bind;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LinkSpeedTest {
    @TempDir
    private Path root;

    @ParameterizedTest
    @CsvSource({"200000, 200000", "1000, 1000", "0, 0", "-1, 0", "4294967295, 0", "'', 0", "unknown, 0"})
    void shouldBeWhatTheKernelSaysWhenThatIsASpeed(String text, long mbit) throws IOException {
        Path folder = Files.createDirectories(root.resolve("sys/class/net/ib0"));
        Files.writeString(folder.resolve("speed"), text + "\n");
        assertEquals(mbit, LinkSpeed.mbit(root, "ib0"));
        assertEquals(mbit, LinkSpeed.mbit(root, "ib0:1"));
    }

    @Test
    void shouldBeUnknownWhenTheFileCannotBeRead() throws IOException {
        assertEquals(LinkSpeed.UNKNOWN, LinkSpeed.mbit(root, "eth9"));
        Files.createDirectories(root.resolve("sys/class/net/eth8/speed"));
        assertEquals(LinkSpeed.UNKNOWN, LinkSpeed.mbit(root, "eth8"));
    }

    @Test
    void shouldBeUnknownWhenTheAddressIsOfNoCard() throws IOException {
        assertEquals(LinkSpeed.UNKNOWN, LinkSpeed.mbit(InetAddress.getLoopbackAddress()));
        assertEquals(LinkSpeed.UNKNOWN, LinkSpeed.mbit(InetAddress.getByName("0.0.0.0")));
        assertEquals(LinkSpeed.UNKNOWN, LinkSpeed.mbit(InetAddress.getByName("192.0.2.1")));
    }
}

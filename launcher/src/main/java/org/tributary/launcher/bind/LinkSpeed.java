package org.tributary.launcher.bind;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How fast the network of an address is, as Linux tells it in {@code /sys/class/net}, also of bonds. Stateless. */
public final class LinkSpeed {
    /** Of loopback, of most virtual interfaces, and of one without a cable. */
    public static final long UNKNOWN = 0;

    private LinkSpeed() {
    }

    /** In Mbit/s, of the interface that has that address, or {@link #UNKNOWN}. */
    public static long mbit(InetAddress address) {
        try {
            NetworkInterface found = address.isAnyLocalAddress() ? null : NetworkInterface.getByInetAddress(address);
            return found == null ? UNKNOWN : mbit(Path.of("/"), found.getName());
        } catch (SocketException e) {
            return UNKNOWN;
        }
    }

    static long mbit(Path root, String name) {
        String port = name.replaceFirst(":.*", ""); // eth0:1 is a second address of eth0
        try {
            String text = Files.readString(root.resolve("sys/class/net").resolve(port).resolve("speed")).strip();
            return text.matches("\\d{1,9}") ? Long.parseLong(text) : UNKNOWN; // also -1, and what drivers say for it
        } catch (IOException e) {
            return UNKNOWN; // the driver knows nothing of speeds (EINVAL)
        }
    }
}

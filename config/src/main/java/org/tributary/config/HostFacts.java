package org.tributary.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;

/** Facts about this machine and process, as Linux tells them. Stateless. */
public final class HostFacts {
    private static final Path SELF = Path.of("/proc/self");

    private HostFacts() {
    }

    /** The name of this host, or {@code unknown}. */
    public static String name() {
        return line("/proc/sys/kernel/hostname");
    }

    /** Of the machine's last start, or {@code unknown}: processes with the same one share CLOCK_MONOTONIC. */
    public static String bootId() {
        return line("/proc/sys/kernel/random/boot_id");
    }

    /**
     * The same for processes of one machine that share memory: name, number of the last start, device and inode of a
     * directory in shared memory. Containers of one machine differ in one of them.
     */
    public static String machine(Path shmDirectory) {
        String place;
        try {
            place = Files.getAttribute(shmDirectory, "unix:dev") + ":" + Files.getAttribute(shmDirectory, "unix:ino");
        } catch (IOException e) {
            place = "0:0"; // the server that is to use it says what is wrong with it
        }
        return name() + " " + bootId() + " " + place;
    }

    private static String line(String file) {
        try {
            return Files.readString(Path.of(file)).strip();
        } catch (IOException e) {
            return "unknown";
        }
    }

    /** The number of the user of this process. */
    public static int user() throws IOException {
        return (Integer) Files.getAttribute(SELF, "unix:uid");
    }

    /** The user of this process as the owner of files and peers of sockets. */
    public static UserPrincipal owner() throws IOException {
        return Files.getOwner(SELF);
    }
}

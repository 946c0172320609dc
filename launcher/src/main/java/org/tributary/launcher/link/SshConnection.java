package org.tributary.launcher.link;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The TCP connection of the sshd that has started this process, as the kernel's tables show it to every process of the
 * host. Not thread-safe.
 *
 * @param local  its own address, in each form that the tables may have it in
 * @param remote the other's
 */
record SshConnection(Set<String> local, Set<String> remote) {
    /** Of {@code SSH_CONNECTION}: client, its port, server, its port. */
    private static final int WORDS = 4;
    private static final int WORD_BYTES = 4;
    private static final int IPV4_BYTES = 4;
    private static final String MAPPED = "0000000000000000" + word(new byte[] {0, 0, -1, -1}, 0);
    private static final List<Path> TABLES = List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));
    /** Columns of the tables: addresses, timer, attempts of retransmission, probes of a closed window. */
    private static final int LOCAL = 1;
    private static final int REMOTE = 2;
    private static final int TIMER = 5;
    private static final int RETRANSMITTED = 6;
    private static final int PROBES = 8;
    private static final String RETRANSMITS = "01";
    private static final String PROBES_WINDOW = "04";
    private static final int HEX = 16;

    /** The one that sshd has told of in {@code SSH_CONNECTION}; empty when it makes no sense. */
    static Optional<SshConnection> of(String variable) {
        String[] words = variable.strip().split(" ");
        if (words.length != WORDS) {
            return Optional.empty();
        }
        try {
            return Optional.of(new SshConnection(forms(words[2], words[3]), forms(words[0], words[1])));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Set<String> forms(String address, String port) {
        byte[] bytes = InetAddress.ofLiteral(address.replaceFirst("%.*", "")).getAddress();
        String end = String.format(":%04X", Integer.parseInt(port));
        StringBuilder words = new StringBuilder();
        for (int at = 0; at < bytes.length; at += WORD_BYTES) {
            words.append(word(bytes, at));
        }
        Set<String> forms = new HashSet<>(List.of(words + end));
        if (bytes.length == IPV4_BYTES) {
            forms.add(MAPPED + words + end); // of a socket that takes both
        }
        return forms;
    }

    /** The tables print 32 bits of an address as a number of this machine. */
    private static String word(byte[] bytes, int at) {
        return String.format("%08X", ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).getInt(at));
    }

    /** How often the kernel has tried in vain to get an answer from the other kernel; 0 while that answers. */
    int attempts() {
        for (Path table : TABLES) {
            try (Stream<String> lines = Files.lines(table, StandardCharsets.ISO_8859_1)) {
                Optional<Integer> attempts = attempts(lines);
                if (attempts.isPresent()) {
                    return attempts.get();
                }
            } catch (IOException | UncheckedIOException e) {
                continue; // a kernel without IPv6
            }
        }
        return 0;
    }

    /** The same from the lines of a table; empty when the connection is not there. */
    Optional<Integer> attempts(Stream<String> lines) {
        return lines.map(line -> line.strip().split("\\s+"))
            .filter(columns -> columns.length > PROBES && local.contains(columns[LOCAL])
                && remote.contains(columns[REMOTE])).map(SshConnection::attempts).findFirst();
    }

    private static int attempts(String... columns) {
        String timer = columns[TIMER].replaceFirst(":.*", "");
        return switch (timer) {
            case RETRANSMITS -> Integer.parseInt(columns[RETRANSMITTED], HEX);
            // The one that is under way has not been in vain.
            case PROBES_WINDOW -> Math.max(0, Integer.parseInt(columns[PROBES]) - 1);
            default -> 0;
        };
    }
}

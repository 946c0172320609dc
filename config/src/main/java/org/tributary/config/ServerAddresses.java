package org.tributary.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The servers' addresses by node, given as a list or in a file that is completed later. */
final class ServerAddresses {
    private static final Pattern ADDRESS = Pattern.compile("(?:\\[[0-9A-Fa-f:.%]+]|[^\\s:\\[\\],]+):(\\d{1,5})");
    private static final int MAX_PORT = 65535;

    private final Path file;
    private final int nodeCount;
    /** Written once, when complete; a race only reads the file twice. */
    private volatile List<String> addresses;

    private ServerAddresses(Path file, int nodeCount, List<String> addresses) {
        this.file = file;
        this.nodeCount = nodeCount;
        this.addresses = addresses;
    }

    static ServerAddresses none() {
        return new ServerAddresses(null, 0, List.of());
    }

    static ServerAddresses of(List<String> addresses, int nodeCount) {
        if (addresses.size() != nodeCount) {
            throw new ConfigException(addresses.size() + " addresses for a job of " + nodeCount + " nodes");
        }
        return new ServerAddresses(null, nodeCount, addresses.stream().map(ServerAddresses::checked).toList());
    }

    static ServerAddresses inFile(Path file, int nodeCount) {
        return new ServerAddresses(file, nodeCount, List.of());
    }

    List<String> get() {
        if (addresses.isEmpty() && file != null) {
            addresses = read();
        }
        return addresses;
    }

    void addTo(Map<String, String> environment) {
        if (file != null) {
            environment.put(JobVariables.SERVERS_FILE, file.toString());
        } else if (!addresses.isEmpty()) {
            environment.put(JobVariables.SERVERS, String.join(",", addresses));
        }
    }

    private List<String> read() {
        String text;
        try {
            text = Files.readString(file);
        } catch (NoSuchFileException e) {
            return List.of();
        } catch (IOException e) {
            throw new ConfigException("cannot read the servers' addresses in " + file + ": "
                + Shortage.describe(e, file));
        }
        // A line still being written has no end yet, and must not be taken for a shorter address.
        List<String> lines = text.substring(0, text.lastIndexOf('\n') + 1).lines()
            .map(String::strip).filter(line -> !line.isEmpty()).toList();
        if (lines.size() > nodeCount) {
            throw new ConfigException(file + " has " + lines.size()
                + " addresses for a job of " + nodeCount + " nodes");
        }
        return lines.size() < nodeCount ? List.of() : lines.stream().map(ServerAddresses::checked).toList();
    }

    private static String checked(String text) {
        String address = text.strip();
        Matcher matcher = ADDRESS.matcher(address);
        if (matcher.matches()) {
            int port = Integer.parseInt(matcher.group(1));
            if (port > 0 && port <= MAX_PORT) {
                return address;
            }
        }
        throw new ConfigException("'" + address + "' is not host:port or [IPv6 address]:port");
    }
}

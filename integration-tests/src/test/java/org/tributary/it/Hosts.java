package org.tributary.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Assumptions;

/**
 * Several hosts on this machine: network namespaces, each with one address, on a switch that is one more. Those of IPv4
 * have bridges of containers and virtual machines too, with the same addresses on all of them, one before and one
 * behind their way to the others in the order of interfaces. A host can be cut off, connected again, or lose its power.
 * Only root can make them; without, or without {@code ip}, tests are skipped with a message.
 */
final class Hosts implements AutoCloseable {
    private static final long COMMAND_S = 20;
    private static final long CARRIER_LIMIT_NS = TimeUnit.SECONDS.toNanos(10);
    private static final AtomicInteger MADE = new AtomicInteger();
    private static final String NETWORK = "10.77.0.";
    private static final String NETWORK_6 = "fd77::";

    private final String prefix = "tributary-" + ProcessHandle.current().pid() + "-"
        + Integer.toString(MADE.getAndIncrement(), 36) + "-";
    private final int count;
    private final boolean isIpv6;

    private Hosts(int count, boolean isIpv6) {
        this.count = count;
        this.isIpv6 = isIpv6;
    }

    /** Makes them; skips the test when that is not possible here. */
    static Hosts make(int count) {
        return make(new Hosts(count, false));
    }

    /** The same with addresses of IPv6 only. */
    static Hosts makeIpv6(int count) {
        return make(new Hosts(count, true));
    }

    private static Hosts make(Hosts hosts) {
        try {
            hosts.connectAll();
            return hosts;
        } catch (IOException e) {
            hosts.close();
            Assumptions.abort("no hosts made of network namespaces here (ip netns, as root): " + e.getMessage());
            throw new UncheckedIOException(e);
        }
    }

    private void connectAll() throws IOException {
        ip("netns", "add", hub());
        ip("-n", hub(), "link", "add", "bridge", "type", "bridge");
        ip("-n", hub(), "link", "set", "bridge", "up");
        for (int host = 0; host < count; host++) {
            ip("netns", "add", name(host));
            addBridge(host, "docker0", "172.17.0.1/16");
            ip("-n", hub(), "link", "add", "port" + host, "type", "veth", "peer", "name", "eth0", "netns",
                name(host));
            ip("-n", hub(), "link", "set", "port" + host, "master", "bridge", "up");
            List<String> address = new ArrayList<>(List.of("-n", name(host), "addr", "add",
                address(host) + (isIpv6 ? "/64" : "/24"), "dev", "eth0"));
            if (isIpv6) {
                address.add("nodad"); // or it would be tentative for a second
            }
            ip(address.toArray(String[]::new));
            ip("-n", name(host), "link", "set", "eth0", "up");
            ip("-n", name(host), "link", "set", "lo", "up");
            addBridge(host, "virbr0", "192.168.122.1/24");
        }
        for (int host = 0; host < count; host++) {
            awaitCarrier(host);
        }
    }

    /** The kernel says a little later that a link works; until then programs do not choose its address. */
    private void awaitCarrier(int host) throws IOException {
        long startNs = System.nanoTime();
        while (!ip("-n", name(host), "-br", "link", "show", "dev", "eth0").contains(" UP ")) {
            if (System.nanoTime() - startNs > CARRIER_LIMIT_NS) {
                throw new IOException("eth0 of " + name(host) + " is not up");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    private void addBridge(int host, String bridge, String address) throws IOException {
        if (!isIpv6) {
            ip("-n", name(host), "link", "add", bridge, "type", "bridge");
            ip("-n", name(host), "addr", "add", address, "dev", bridge);
            ip("-n", name(host), "link", "set", bridge, "up");
        }
    }

    private String hub() {
        return prefix + "hub";
    }

    private String name(int host) {
        return prefix + host;
    }

    int count() {
        return count;
    }

    /** The address of a host. */
    String address(int host) {
        return (isIpv6 ? NETWORK_6 : NETWORK) + (host + 1);
    }

    boolean isIpv6() {
        return isIpv6;
    }

    /** A command as one of that host; its process is the command's own. */
    List<String> on(int host, List<String> command) {
        List<String> all = new ArrayList<>(List.of("ip", "netns", "exec", name(host)));
        all.addAll(command);
        return all;
    }

    /** Cuts a host off behind its switch: nothing it sends arrives, and nobody is told. */
    void cut(int host) throws IOException {
        ip("-n", hub(), "link", "set", "port" + host, "nomaster");
    }

    /** Undoes {@link #cut}. */
    void connect(int host) throws IOException {
        ip("-n", hub(), "link", "set", "port" + host, "master", "bridge");
    }

    /** The processes on a host. */
    List<Long> processes(int host) throws IOException {
        return ip("netns", "pids", name(host)).lines().map(Long::valueOf).toList();
    }

    /** Cuts a host off, then kills everything on it. */
    void losePower(int host) throws IOException {
        cut(host);
        for (long pid : processes(host)) {
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    private static String ip(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(COMMAND_S, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IOException(String.join(" ", command) + ": " + output.strip());
            }
            return output;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Ends what still runs on them and removes them. */
    @Override
    public void close() {
        for (int host = 0; host < count; host++) {
            try {
                losePower(host);
            } catch (IOException e) {
                continue; // it was never made
            }
            removed(name(host));
        }
        removed(hub());
    }

    private static void removed(String name) {
        try {
            ip("netns", "del", name);
        } catch (IOException e) {
            System.err.println(e.getMessage());
        }
    }
}

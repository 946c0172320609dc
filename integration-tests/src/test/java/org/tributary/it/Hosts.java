package org.tributary.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;

/**
 * Several hosts on this machine: network namespaces, each with one address, on a switch that is one more. Those of IPv4
 * have bridges of containers and virtual machines too, with the same addresses on all of them, one before and one
 * behind their way to the others in the order of interfaces. A host can be cut off, connected again, or lose its power.
 * Only root can make them; without, or without {@code ip}, tests are skipped with a message.
 */
final class Hosts implements AutoCloseable {
    private static final long COMMAND_S = 250;
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
        StringBuilder names = new StringBuilder("netns add " + hub() + "\n");
        StringBuilder links = new StringBuilder("link add bridge type bridge\nlink set bridge up\n");
        for (int host = 0; host < count; host++) {
            names.append("netns add ").append(name(host)).append('\n');
            links.append(bridge(host, "docker0"));
            links.append("link add port%d type veth peer name eth0 netns %s\n".formatted(host, name(host)));
            links.append("link set port%d master bridge up\n".formatted(host));
            links.append(bridge(host, "virbr0"));
        }
        batch(names);
        batch(links, "-n", hub());
        for (int host = 0; host < count; host++) {
            batch(linksOfHost(host), "-n", name(host));
        }
        for (int host = 0; host < count; host++) {
            awaitCarrier(host);
        }
    }

    private String bridge(int host, String bridge) {
        return isIpv6 ? "" : "link add " + bridge + " netns " + name(host) + " type bridge\n";
    }

    private String linksOfHost(int host) {
        if (isIpv6) { // without nodad the address would be tentative for a second
            return "addr add " + address(host) + "/64 dev eth0 nodad\nlink set eth0 up\nlink set lo up\n";
        }
        return """
            addr add 172.17.0.1/16 dev docker0
            link set docker0 up
            addr add %s/24 dev eth0
            link set eth0 up
            link set lo up
            addr add 192.168.122.1/24 dev virbr0
            link set virbr0 up
            """.formatted(address(host));
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
        String namespace = "net:[" + Files.getAttribute(file(name(host)), "unix:ino") + "]";
        List<Long> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : all) {
                if (isIn(namespace, process)) {
                    found.add(Long.valueOf(process.getFileName().toString()));
                }
            }
        }
        return found;
    }

    private static boolean isIn(String namespace, Path process) {
        try {
            return Files.readSymbolicLink(process.resolve("ns/net")).toString().equals(namespace);
        } catch (IOException e) {
            return false; // it has ended
        }
    }

    private static Path file(String name) {
        return Path.of("/run/netns", name);
    }

    /** Cuts a host off, then kills everything on it. */
    void losePower(int host) throws IOException {
        cut(host);
        killAll(host);
    }

    private void killAll(int host) throws IOException {
        for (long pid : processes(host)) {
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    private static String ip(String... arguments) throws IOException {
        return ip("", List.of(arguments));
    }

    /** One process for all lines: the start of one costs more than what it does. */
    private static void batch(CharSequence lines, String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(options));
        arguments.addAll(List.of("-batch", "-"));
        String unused = ip(lines, arguments);
    }

    private static String ip(CharSequence input, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (Writer writer = process.outputWriter()) {
            writer.append(input).close();
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
        List<Integer> made = IntStream.range(0, count).filter(host -> Files.exists(file(name(host)))).boxed().toList();
        quietly(() -> batch(lines(made, host -> "link set port" + host + " nomaster"), "-force", "-n", hub()));
        made.forEach(host -> quietly(() -> killAll(host)));
        quietly(() -> batch(lines(made, host -> "netns del " + name(host)) + "netns del " + hub() + "\n", "-force"));
    }

    private static String lines(List<Integer> hosts, IntFunction<String> line) {
        return hosts.stream().map(host -> line.apply(host) + "\n").collect(Collectors.joining());
    }

    private interface Step {
        void run() throws IOException;
    }

    private static void quietly(Step step) {
        try {
            step.run();
        } catch (IOException e) {
            System.err.println(e.getMessage());
        }
    }
}

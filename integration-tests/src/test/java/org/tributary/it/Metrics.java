package org.tributary.it;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.tributary.config.ProcessFiles;

/**
 * Metrics of the servers of a place, whatever their ports: every port is asked, so that those for data say that a
 * stranger came. Stateless.
 */
final class Metrics {
    /** What servers log because of it. */
    static final String STRANGER = "closed unadmitted connection from .*: frame of ";
    private static final int LISTENING_FIELDS = 9;

    private Metrics() {
    }

    /** What each server answers. */
    static List<String> of(Place place) throws InterruptedException {
        Set<String> inodes = inodes(place);
        List<Integer> ports = Stream.of("tcp", "tcp6").flatMap(Metrics::sockets)
            .map(line -> line.trim().split("\\s+"))
            .filter(fields -> fields.length > LISTENING_FIELDS && fields[3].equals("0A"))
            .filter(fields -> inodes.contains("socket:[" + fields[LISTENING_FIELDS] + "]"))
            .map(fields -> Integer.parseInt(fields[1].substring(fields[1].lastIndexOf(':') + 1), 16)).toList();
        try (HttpClient client = HttpClient.newHttpClient()) {
            List<String> all = new ArrayList<>();
            for (int port : ports) {
                String found = scrape(client, port);
                if (!found.isEmpty()) {
                    all.add(found);
                }
            }
            return all;
        }
    }

    /** The sum of a metric over all servers. */
    static double sum(Place place, String name) throws InterruptedException {
        return of(place).stream().flatMap(String::lines)
            .filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"))
            .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1))).sum();
    }

    private static Stream<String> sockets(String protocol) {
        try {
            return Files.readAllLines(Path.of("/proc/net", protocol)).stream();
        } catch (IOException e) {
            return Stream.empty();
        }
    }

    private static Set<String> inodes(Place place) {
        Set<String> found = new HashSet<>();
        place.processes().stream()
            .filter(process -> ProcessFiles.of(process).commandLine().contains("--supervised"))
            .flatMap(process -> Place.entries(Path.of("/proc/" + process.pid() + "/fd")).stream())
            .forEach(link -> {
                try {
                    found.add(Files.readSymbolicLink(link).toString());
                } catch (IOException e) {
                    // It has been closed.
                }
            });
        return found;
    }

    private static String scrape(HttpClient client, int port) throws InterruptedException {
        try {
            return client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                .timeout(Duration.ofSeconds(20)).build(), HttpResponse.BodyHandlers.ofString()).body();
        } catch (IOException e) {
            return "";
        }
    }
}

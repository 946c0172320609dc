package org.tributary.launcher.dashboard;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who does not know the token keeps nobody out who does. */
@Timeout(300)
class PageServerTest {
    private final List<Socket> sockets = new ArrayList<>();
    private PageServer server;

    @BeforeEach
    void open() throws IOException {
        server = PageServer.open("127.0.0.1", "address", 0, "port", "token");
    }

    @AfterEach
    void close() throws IOException {
        if (server != null) {
            server.close();
        }
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket("127.0.0.1", server.port());
        sockets.add(socket);
        return socket;
    }

    private BufferedReader ask(String path) throws IOException {
        Socket socket = connect();
        socket.getOutputStream().write(("GET " + path + " HTTP/1.1\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    }

    /** Many programs leave it out of links. */
    @Test
    void shouldLeadToThePageWhenTheLastSlashIsMissing() throws IOException {
        List<String> lines = ask("/token").lines().toList();
        assertTrue(lines.getFirst().contains("308"), lines::toString);
        assertTrue(lines.contains("location: /token/"), lines::toString);
        assertTrue(ask("/other").readLine().contains("403"));
    }

    /** As when it shows another part of the matrix: the end of its former connection may be seen later. */
    @Test
    void shouldServeAPageAnewWhenAsManyLookAsMay() throws IOException {
        List<BufferedReader> readers = new ArrayList<>();
        for (int page = 0; page < Readers.MOST; page++) {
            readers.add(ask("/token/events?page=" + page));
            assertTrue(readers.getLast().readLine().contains("200 OK"));
        }
        assertTrue(ask("/token/events?page=3&level=ranks").readLine().contains("200 OK"));
        assertTrue(readers.get(3).lines().noneMatch(line -> line.equals("event: end")), "it ends without a word");
        assertTrue(ask("/token/events?page=another").readLine().contains("503"));
    }

    @Test
    void shouldServeWhoKnowsTheTokenWhenSilentConnectionsHaveTakenAllPlaces() throws IOException {
        BufferedReader reader = ask("/token/events");
        assertTrue(reader.readLine().contains("200 OK"));
        for (int i = 1; i < PageServer.MAX_CONNECTIONS; i++) {
            connect();
        }
        assertTrue(ask("/token/").readLine().contains("200 OK"));
        server.close();
        server = null;
        assertTrue(reader.lines().anyMatch(line -> line.equals("event: end")), "who reads has kept its place");
    }
}

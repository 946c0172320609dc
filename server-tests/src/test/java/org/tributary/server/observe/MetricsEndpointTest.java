package org.tributary.server.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.DefaultEventLoop;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.tributary.config.Settings;

/** However much is asked, the loop that moves data has one task of the metrics at a time. */
class MetricsEndpointTest {
    private static final String SCRAPE = "GET /metrics HTTP/1.1\r\n\r\n";
    private final DefaultEventLoop counting = new DefaultEventLoop();
    private final CountDownLatch busy = new CountDownLatch(1);
    private final List<Socket> sockets = new ArrayList<>();
    private MetricsServer server;

    @BeforeEach
    void start() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        counting.execute(() -> {
            begun.countDown();
            awaitBusy();
        });
        begun.await();
        server = MetricsServer.start(Settings.builder().set("server.metrics-port=0").build(), 0, new ServerMetrics(0),
            counting);
    }

    @AfterEach
    void stop() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        busy.countDown();
        server.close();
        counting.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    private void awaitBusy() {
        try {
            busy.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Socket ask(String requests) throws IOException {
        Socket socket = new Socket("127.0.0.1", server.port());
        sockets.add(socket);
        socket.getOutputStream().write(requests.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static String answer(Socket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }

    /** What was asked before has been read when this returns. */
    private void awaitRead() throws IOException {
        assertTrue(answer(ask("GET / HTTP/1.1\r\n\r\n")).contains("404"));
    }

    @Test
    void shouldCountOnceWhenOneConnectionAsksOften() throws IOException {
        ask(SCRAPE.repeat(100));
        awaitRead();
        assertTrue(counting.pendingTasks() <= 1, () -> counting.pendingTasks() + " tasks");
    }

    @Test
    void shouldCountOnceWhenSeveralAskAtATime() throws IOException {
        List<Socket> all = List.of(ask(SCRAPE), ask(SCRAPE), ask(SCRAPE));
        awaitRead();
        assertTrue(counting.pendingTasks() <= 1, () -> counting.pendingTasks() + " tasks");
        busy.countDown();
        for (Socket socket : all) {
            String answer = answer(socket);
            assertTrue(answer.contains("200 OK") || answer.contains("503"), answer);
        }
    }

    @Test
    void shouldAnswerOnceWhenOneConnectionAsksOften() throws IOException {
        busy.countDown();
        assertEquals(2, answer(ask(SCRAPE + SCRAPE)).split("HTTP/1.1 ", -1).length);
    }
}

package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tributary.config.Topology;
import org.tributary.server.observe.MetricsEndpoint;
import org.tributary.server.observe.ServerMetrics;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.TestServers;
import org.tributary.wire.codec.AtomicOp;

/** The Prometheus page. */
class MetricsTest {
    @Test
    void shouldServePrometheusTextWhenScraped() throws IOException, InterruptedException {
        try (TestServers job = TestServers.start(Topology.of(1))) {
            HttpResponse<String> page = job.http(0, "/metrics");
            assertEquals(200, page.statusCode());
            assertEquals("text/plain; version=0.0.4; charset=utf-8",
                page.headers().firstValue("content-type").orElseThrow());
            for (String name : List.of("tributary_requests_total", "tributary_request_bytes_total",
                "tributary_connections", "tributary_connections_opened_total", "tributary_connections_closed_total",
                "tributary_connections_refused_total", "tributary_accept_pauses_total",
                "tributary_frames_malformed_total", "tributary_requests_rejected_total", "tributary_segments",
                "tributary_segment_bytes", "tributary_mutex_waiting", "tributary_window_waiting",
                "tributary_reply_buffers")) {
                assertTrue(page.body().contains("# HELP " + name + " "), name);
                assertTrue(page.body().contains("# TYPE " + name + " "), name);
            }
            assertEquals(404, job.http(0, "/").statusCode());
        }
    }

    @Test
    void shouldCountWhenRequestsAreExecuted() throws IOException {
        try (TestServers job = TestServers.start(Topology.of(1)); RawClient rank = job.rank(0)) {
            rank.done(Requests.allocate(1, 5, 0, 0, 100));
            rank.done(Requests.allocate(1, 6, 1, 0, 64));
            rank.fenced(Requests.put(5, 0, 0, 0, new byte[60]), Requests.put(5, 0, 0, 0, new byte[40]));
            rank.ask(Requests.get(2, 5, 0, 0, 30));
            rank.ask(Requests.atomic(3, 5, 0, 8, AtomicOp.FETCH_AND_ADD, 8, 1, 0));
            rank.ask(Requests.get(2, 5, 0, 90, 30));
            rank.ask(Requests.lock(4, 6, 0, 0, false));
            assertEquals(2, job.metric(0, "tributary_requests_total", "operation=\"put\""));
            assertEquals(100, job.metric(0, "tributary_request_bytes_total", "operation=\"put\""));
            assertEquals(1, job.metric(0, "tributary_requests_total", "operation=\"get\""));
            assertEquals(30, job.metric(0, "tributary_request_bytes_total", "operation=\"get\""));
            assertEquals(1, job.metric(0, "tributary_requests_total", "operation=\"atomic\""));
            assertEquals(1, job.metric(0, "tributary_requests_total", "operation=\"lock\""));
            assertEquals(2, job.metric(0, "tributary_requests_total", "operation=\"allocate\""));
            assertEquals(1, job.metric(0, "tributary_requests_total", "operation=\"fence\""));
            assertEquals(1, job.metric(0, "tributary_requests_rejected_total", ""));
            assertEquals(3, job.metric(0, "tributary_segments", "")); // with the inboxes of all ranks
            assertEquals(1, job.metric(0, "tributary_connections", ""));
        }
    }

    private static Socket connect(TestServers job) throws IOException {
        Socket socket = new Socket("127.0.0.1", job.server(0).metricsPort());
        socket.setSoTimeout(20_000);
        return socket;
    }

    private static boolean isClosed(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException e) {
            return true; // reset
        }
    }

    @Test
    void shouldServeOthersAgainWhenIdleConnectionsHaveTakenAllPlaces() throws Exception {
        List<Socket> idle = new ArrayList<>();
        try (TestServers job = TestServers.start(Topology.of(1))) {
            for (int i = 0; i < MetricsEndpoint.MAX_CONNECTIONS; i++) {
                idle.add(connect(job));
            }
            try (Socket tooMany = connect(job)) {
                assertTrue(isClosed(tooMany));
            }
            for (Socket socket : idle) {
                assertTrue(isClosed(socket), "an idle connection is closed after a while");
            }
            assertEquals(200, job.http(0, "/metrics").statusCode());
        } finally {
            for (Socket socket : idle) {
                socket.close();
            }
        }
    }

    @Test
    void shouldNotReadOnWhenRequestIsLong() throws Exception {
        try (TestServers job = TestServers.start(Topology.of(1)); Socket socket = connect(job)) {
            byte[] request = ("GET /metrics HTTP/1.1\r\nX: " + "x".repeat(10 * MetricsEndpoint.MAX_REQUEST_BYTES)
                + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
            String answer;
            try {
                socket.getOutputStream().write(request);
                answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            } catch (SocketException e) {
                answer = ""; // closed while it was sent
            }
            assertFalse(answer.contains("200 OK"), answer);
        }
    }

    @Test
    void shouldListenOnLoopbackOnlyWhenNothingElseIsSaid() throws Exception {
        try (TestServers job = TestServers.start(Topology.of(1), "server.bind-address=0.0.0.0")) {
            assertEquals(200, job.http(0, "/metrics").statusCode());
            try (Socket socket = new Socket()) {
                // Any address of 127/8 reaches what listens on all addresses.
                assertThrows(ConnectException.class, () -> socket.connect(
                    new InetSocketAddress("127.0.0.2", job.server(0).metricsPort()), 10_000));
            }
        }
    }

    @Test
    void shouldSayWhichSettingWhenAddressIsNotOfThisMachine() {
        Throwable problem = assertThrows(ServerException.class,
            () -> TestServers.start(Topology.of(1), "server.metrics-address=192.0.2.1"));
        assertTrue(problem.getMessage().contains("server.metrics-address"), problem::getMessage);
    }

    @Test
    void shouldSampleOnItsLoopWhenAsked() throws Exception {
        ServerMetrics metrics = new ServerMetrics(0);
        metrics.connectionOpened();
        assertTrue(metrics.scrape().contains("tributary_connections{node=\"0\"} 0.0"), metrics::scrape);
        metrics.sample();
        assertTrue(metrics.scrape().contains("tributary_connections{node=\"0\"} 1.0"), metrics::scrape);
    }
}

package org.tributary.launcher.dashboard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.client.GlobalMemory;
import org.tributary.config.HostFacts;
import org.tributary.launcher.status.JobReading;
import org.tributary.launcher.status.JobStep;
import org.tributary.launcher.status.JobView;
import org.tributary.launcher.status.LocalJob;
import org.tributary.launcher.step.Asked;
import org.tributary.launcher.step.Digest;
import org.tributary.launcher.step.StubNodes;
import org.tributary.launcher.step.View;
import org.tributary.testing.Ranks;
import org.tributary.wire.status.JobStatus;
import org.tributary.wire.status.NodeStatus.Rank;

/** The page of a job, as a browser gets it. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DashboardTest {
    private static final HttpClient BROWSER = HttpClient.newHttpClient();

    @TempDir
    private Path shm;

    private static HttpResponse<String> get(String address) throws IOException, InterruptedException {
        return BROWSER.send(HttpRequest.newBuilder(URI.create(address)).timeout(Duration.ofSeconds(20)).build(),
            HttpResponse.BodyHandlers.ofString());
    }

    private static HttpResponse<InputStream> events(String url) throws IOException, InterruptedException {
        return BROWSER.send(HttpRequest.newBuilder(URI.create(url + "events")).build(),
            HttpResponse.BodyHandlers.ofInputStream());
    }

    /** The data of the first event of that name for which the condition holds; fails at the end of the stream. */
    private static String event(BufferedReader lines, String name, Predicate<String> condition) throws IOException {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.equals("event: " + name)) {
                String data = lines.readLine().substring("data: ".length());
                if (condition.test(data)) {
                    return data;
                }
            }
        }
        throw new AssertionError("no such event " + name);
    }

    private static BufferedReader lines(HttpResponse<InputStream> response) {
        return new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8));
    }

    private static Dashboard open() throws IOException {
        return Dashboard.open("127.0.0.1", "--where", 0, "--which");
    }

    /** A job that is always the same. */
    private static final class Stub implements JobView {
        private final StubNodes nodes;
        private int second;

        Stub(int nodes, int ranks) {
            this.nodes = new StubNodes(nodes, ranks, 2);
        }

        @Override
        public JobStep step(Asked asked) {
            return new JobStep(nodes.after(++second), List.of(), List.of());
        }

        @Override
        public JobReading read() {
            throw new UnsupportedOperationException("a page takes snapshots only");
        }

        @Override
        public Map<Integer, List<String>> stacks(JobStatus job, Collection<Rank> ranks, long limitNs) {
            throw new UnsupportedOperationException("a page takes no stacks");
        }
    }

    @ParameterizedTest
    @CsvSource({"127.0.0.1, 127.0.0.1", "::1, [::1]", "node7, node7", "0.0.0.0, ''", "::, ''"})
    void shouldNameAnAddressThatABrowserCanOpen(String address, String host) {
        assertEquals("http://" + (host.isEmpty() ? HostFacts.name() : host) + ":80/abc/",
            Dashboard.url(address, 80, "abc"));
    }

    @Test
    void shouldShowWhatRanksDoWhenJobRuns() throws Exception {
        CountDownLatch seen = new CountDownLatch(1);
        try (Dashboard dashboard = open()) {
            Thread reader = Thread.ofVirtual().start(() -> {
                try {
                    awaitNumbers(dashboard);
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                } finally {
                    seen.countDown();
                }
            });
            Ranks.of("2*1").with("shm.directory=" + shm).run(gas -> {
                GlobalMemory memory = gas.allocate(64);
                while (gas.rank() == 0 && seen.getCount() > 0) {
                    memory.fetchAndAdd(1, 0, 1);
                    memory.putLong(1, 8, 5);
                    gas.fence(1);
                    memory.getLong(1, 8);
                }
                gas.barrier();
            });
            reader.join();
            assertEquals(0, seen.getCount());
        }
    }

    private void awaitNumbers(Dashboard dashboard) throws IOException, InterruptedException {
        while (LocalJob.all(shm).isEmpty()) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        String job = LocalJob.all(shm).keySet().iterator().next();
        dashboard.show(job, new LocalJob(shm, job));
        try (BufferedReader lines = lines(events(dashboard.url()))) {
            event(lines, "history", data -> data.contains("\"groups\""));
            event(lines, "step", data -> data.contains("[\"atomic\", ") && data.contains("[\"put\", ")
                && data.contains("[\"get\", ") && data.contains("[\"fence\", ")
                && data.matches(".*\"latencies\": \\[\\[\"get\".*\\[\"atomic\".*\\[\"fence\".*")
                && data.matches(".*\"cells\": \\[\\[0, 1, [1-9].*") && data.contains("\"hot\": [[1, 1, ")
                && data.matches(".*\"rank\": 1, .*barrier.*\"rank 0\".*"));
        }
    }

    /** The steps of a job one of which fails. */
    private static final class Failing implements JobView {
        private final Stub job = new Stub(2, 2);

        @Override
        public JobStep step(Asked asked) {
            if (job.second == 1) {
                job.second++;
                throw new IllegalStateException("node 1 is beside itself");
            }
            return job.step(asked);
        }

        @Override
        public JobReading read() {
            return job.read();
        }

        @Override
        public Map<Integer, List<String>> stacks(JobStatus of, Collection<Rank> ranks, long limitNs) {
            return job.stacks(of, ranks, limitNs);
        }
    }

    @Test
    void shouldShowTheProblemAndGoOnWhenAStepFails() throws Exception {
        try (Dashboard dashboard = open();
            BufferedReader lines = lines(events(dashboard.url()))) {
            dashboard.show("stub", new Failing());
            event(lines, "step", data -> data.contains("node 1 is beside itself"));
            event(lines, "step", data -> data.contains("\"problems\": {\"count\": 0"));
            assertTrue(dashboard.isServed());
        }
    }

    @Test
    void shouldMakeOneTextWhenSeveralLookAtTheSame() {
        Readers readers = new Readers();
        List<String> texts = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (String level : List.of("nodes", "ranks", "nodes", "ranks")) {
            readers.add(new Readers.Reader() {
                @Override
                public String page() {
                    return "";
                }

                @Override
                public View view() {
                    return View.of(Map.of("level", List.of(level)));
                }

                @Override
                public void event(String name, String data) {
                    (name.equals("step") ? texts : problems).add(data);
                }

                @Override
                public void end() {
                    problems.add("has ended");
                }

                @Override
                public void leave() {
                    problems.add("has left");
                }
            });
        }
        Steps steps = new Steps("stub");
        readers.publish(steps.next(1, new JobStep(new StubNodes(3, 2, 1).after(1), List.of(), List.of())));
        assertEquals(4, texts.size());
        assertSame(texts.get(0), texts.get(2));
        assertSame(texts.get(1), texts.get(3));
        assertNotEquals(texts.get(0), texts.get(1));
        while (readers.usedNs() == 0) { // the kernel counts in steps of its own
            readers.publish(steps.next(1, new JobStep(new StubNodes(3, 2, 1).after(1), List.of(), List.of())));
        }
        assertEquals(List.of(), problems);
        readers.publish(new Step(2, Digest.none("stub"), null, Map.of(), List.of()));
        assertEquals(4, problems.size(), "a step that cannot be shown");
    }

    @Test
    void shouldRefuseWhenTokenIsMissingOrWrong() throws Exception {
        try (Dashboard dashboard = open()) {
            dashboard.show("stub", new Stub(2, 2));
            String url = dashboard.url();
            String token = url.replaceAll(".*/(\\w+)/", "$1");
            assertEquals(32, token.length(), "128 bits");
            String root = url.substring(0, url.length() - token.length() - 1);
            String wrong = (token.startsWith("0") ? "1" : "0") + token.substring(1);
            for (String path : List.of("", "events", "page.js", wrong + "/", wrong + "/events", wrong,
                token.substring(1) + "/")) {
                HttpResponse<String> refused = get(root + path);
                assertEquals(403, refused.statusCode(), path);
                assertFalse(refused.body().contains(token));
            }
            assertEquals(404, get(url + "no-such-file").statusCode());
        }
    }

    @Test
    void shouldServeItsFilesAndForbidOthersWhenPageIsOpened() throws Exception {
        try (Dashboard dashboard = open()) {
            HttpResponse<String> page = get(dashboard.url());
            assertEquals(200, page.statusCode());
            String policy = page.headers().firstValue("content-security-policy").orElseThrow();
            assertTrue(policy.startsWith("default-src 'none'") && !policy.contains("http"), policy);
            assertFalse(page.body().matches("(?s).*(src|href)=\"?(http|//).*"), "a request leaves the page");
            for (String file : List.of("page.js", "page.css", "icon.svg", "uplot.js", "uplot.css")) {
                HttpResponse<String> found = get(dashboard.url() + file);
                assertEquals(200, found.statusCode(), file);
                assertTrue(page.body().contains("\"" + file + "\""), file);
                assertTrue(found.body().length() > 100, file);
            }
        }
    }

    @Test
    void shouldTellReadersWhenJobEnds() throws Exception {
        HttpResponse<InputStream> response;
        int port;
        try (Dashboard dashboard = open()) {
            dashboard.show("stub", new Stub(2, 2));
            port = URI.create(dashboard.url()).getPort();
            response = events(dashboard.url());
            assertEquals("text/event-stream; charset=utf-8",
                response.headers().firstValue("content-type").orElseThrow());
        }
        event(lines(response), "end", data -> true);
        assertThrows(ConnectException.class, () -> new Socket("127.0.0.1", port).close());
    }

    @Test
    void shouldGoOnForOthersWhenAReaderReadsNothing() throws Exception {
        List<Socket> idle = new ArrayList<>();
        try (Dashboard dashboard = open()) {
            dashboard.show("stub", new Stub(200, 8));
            URI url = URI.create(dashboard.url());
            for (int i = 0; i < Readers.MOST - 1; i++) {
                Socket socket = new Socket("127.0.0.1", url.getPort());
                socket.getOutputStream().write(("GET " + url.getPath() + "events HTTP/1.1\r\nHost: x\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
                assertTrue(socket.getInputStream().read() > 0);
                idle.add(socket);
            }
            try (BufferedReader lines = lines(events(dashboard.url()))) {
                assertEquals(503, get(dashboard.url() + "events").statusCode(), "one reader too many");
                for (int i = 0; i < 3; i++) {
                    event(lines, "step", data -> true);
                }
            }
        } finally {
            for (Socket socket : idle) {
                socket.close();
            }
        }
    }

    @Test
    void shouldCloseWhenRequestIsNoneOrNeverComes() throws Exception {
        try (Dashboard dashboard = open()) {
            int port = URI.create(dashboard.url()).getPort();
            for (String request : List.of("", "nonsense\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
                "GET /" + "x".repeat(10_000) + " HTTP/1.1\r\n\r\n")) {
                try (Socket socket = new Socket("127.0.0.1", port)) {
                    socket.setSoTimeout(30_000);
                    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
                    String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
                    assertFalse(answer.contains("200 OK"), answer);
                }
            }
        }
    }

    @Test
    void shouldNamePortAndOptionWhenItIsTaken() throws IOException {
        try (ServerSocket taken = new ServerSocket(0)) {
            IOException problem = assertThrows(IOException.class,
                () -> Dashboard.open("127.0.0.1", "--where", taken.getLocalPort(), "--which"));
            assertTrue(problem.getMessage().contains("port " + taken.getLocalPort() + " (--which)"),
                problem::getMessage);
            assertTrue(problem.getMessage().contains("another process listens there"), problem::getMessage);
        }
    }
}

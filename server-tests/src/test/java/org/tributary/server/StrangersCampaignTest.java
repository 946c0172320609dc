package org.tributary.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tributary.config.Topology;
import org.tributary.server.testing.RawClient;
import org.tributary.server.testing.Requests;
import org.tributary.server.testing.TestServers;
import org.tributary.testsupport.ExpectsErrors;

/**
 * Ten thousand who connect and say nothing, while a rank of another node asks and is answered as fast as before. They
 * come from a process of their own, as fast as it can connect. So that the processor time which that process takes from
 * the job does not count for the server's, it is compared with one that does the same to a listener of its own.
 */
@Tag("campaign")
class StrangersCampaignTest {
    private static final long SEGMENT = 0x0F0F;
    private static final int STRANGERS = Integer.getInteger("campaign.strangers", 10_000);
    private static final int ASKED = 20_000;
    private static final int ROUNDS = 9;
    private static final int KEPT = 1_000;
    private static final double FACTOR = 1.5;

    /** Connects to a port, or, for 0, to a listener of its own, until its input ends and enough have come. */
    static final class Crowd {
        private Crowd() {
        }

        public static void main(String[] arguments) throws IOException {
            int port = Integer.parseInt(arguments[0]);
            if (port == 0) {
                ServerSocket own = new ServerSocket(0, 4096, InetAddress.getLoopbackAddress());
                port = own.getLocalPort();
                Thread.ofPlatform().daemon().start(() -> acceptAll(own));
            }
            InetSocketAddress target = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            List<Socket> open = new ArrayList<>();
            System.out.println("ready");
            int count = 0;
            for (; System.in.available() == 0 || count < STRANGERS / ROUNDS; count++) {
                Socket socket = new Socket();
                socket.connect(target);
                open.add(socket);
                if (open.size() == KEPT) {
                    for (Socket each : open) {
                        each.close();
                    }
                    open.clear();
                }
            }
            System.out.println(count);
        }

        private static void acceptAll(ServerSocket listener) {
            List<Socket> open = new ArrayList<>();
            try {
                while (true) {
                    open.add(listener.accept());
                    if (open.size() == KEPT) {
                        open.removeFirst().close();
                    }
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Test
    @ExpectsErrors("connections at once, and .* a second, come to")
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void shouldAnswerAsFastWhenThousandsOfStrangersConnect() throws Exception {
        try (TestServers job = TestServers.start(Topology.of(1, 1)); RawClient owner = job.rank(0);
            RawClient rank = job.remote(1, 0)) {
            owner.done(Requests.allocate(1, SEGMENT, 0, 0, 4096));
            p99Us(rank);
            double[] quiet = new double[ROUNDS];
            double[] elsewhere = new double[ROUNDS];
            double[] beset = new double[ROUNDS];
            for (int round = 0; round < ROUNDS; round++) {
                quiet[round] = p99Us(rank);
                elsewhere[round] = p99Us(rank, 0, "elsewhere");
                beset[round] = p99Us(rank, ((InetSocketAddress) job.tcp(0)).getPort(), "here");
                awaitAllAccepted(job);
            }
            assertTrue(job.metric(0, "tributary_accept_pauses_total", "") > 0);
            System.out.println("strangers: p99 of a get in us alone " + Arrays.toString(quiet)
                + ", while they connect elsewhere " + Arrays.toString(elsewhere) + ", here "
                + Arrays.toString(beset));
            assertTrue(median(beset) <= FACTOR * median(elsewhere), "p99 " + median(beset) + " us, with strangers"
                + " elsewhere " + median(elsewhere) + " us");
            assertEquals(8, owner.ask(Requests.get(1, SEGMENT, 0, 0, 8)).data().length);
        }
    }

    /** Connections that the kernel still keeps must not disturb the next round. */
    private static void awaitAllAccepted(TestServers job) throws Exception {
        double before;
        double opened = -1;
        do {
            before = opened;
            Thread.sleep(500);
            opened = job.metric(0, "tributary_connections_opened_total", "");
        } while (opened > before);
    }

    /** The same while a crowd connects, from before the first request until enough have come. */
    private double p99Us(RawClient rank, int port, String where) throws Exception {
        Process crowd = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1", "-Xmx128m", "-Dcampaign.strangers=" + STRANGERS, "-cp",
            System.getProperty("java.class.path"),
            Crowd.class.getName(), Integer.toString(port)).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (BufferedReader said = crowd.inputReader(StandardCharsets.UTF_8)) {
            assertEquals("ready", said.readLine());
            long beganNs = System.nanoTime();
            double p99Us = p99Us(rank);
            double cpu = (double) crowd.info().totalCpuDuration().orElseThrow().toNanos()
                / (System.nanoTime() - beganNs);
            crowd.getOutputStream().write('\n');
            crowd.getOutputStream().flush();
            int connected = Integer.parseInt(said.readLine());
            System.out.println(String.format(Locale.ROOT, "strangers %s: %d connections, %.2f cores of theirs, p99"
                + " %.0f us", where, connected, cpu, p99Us));
            return p99Us;
        } finally {
            crowd.destroyForcibly().waitFor();
        }
    }

    private static double p99Us(RawClient rank) throws IOException {
        long[] ns = new long[ASKED];
        for (int i = 0; i < ASKED; i++) {
            long beganNs = System.nanoTime();
            rank.ask(Requests.get(1, SEGMENT, 0, 0, 8));
            ns[i] = System.nanoTime() - beganNs;
        }
        Arrays.sort(ns);
        return ns[ASKED / 100 * 99] / 1e3;
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}

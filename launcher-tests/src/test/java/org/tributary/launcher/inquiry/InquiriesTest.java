package org.tributary.launcher.inquiry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.launcher.link.Answer;
import org.tributary.launcher.link.Codec;
import org.tributary.launcher.link.Command;
import org.tributary.launcher.link.Frame;
import org.tributary.launcher.link.Inquiry;
import org.tributary.launcher.link.Question;
import org.tributary.launcher.link.StackText;
import org.tributary.launcher.status.JobReading;
import org.tributary.launcher.status.JobView;
import org.tributary.wire.RankState;
import org.tributary.wire.status.NodeStatus;
import org.tributary.wire.status.NodeText;
import org.tributary.wire.status.ProcessState;

/** Agents that answer as they are told to, in this process. */
class InquiriesTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long SHORT_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final String jobId = "asked-" + Long.toString(ThreadLocalRandom.current().nextLong(1L << 40), 36);
    private final List<Frame> sent = Collections.synchronizedList(new ArrayList<>());

    @Test
    void shouldNameHostsWhenTheyDoNotAnswer() throws Exception {
        Inquiry.Answers answers = agents("a", "b", "silent").ask(new Inquiry(Question.STATUS, "", List.of(), SHORT_NS));
        assertEquals(List.of(0), answers.texts().keySet().stream().toList());
        assertEquals(List.of("host b (node 1): is tired", "host silent (node 2): no answer within 0.05 s"),
            answers.problems());
        assertEquals(1, sent.size());
    }

    @Test
    void shouldAskOnlyThemWhenNodesAreGiven() throws Exception {
        Inquiry.Answers answers = agents("a", "silent", "a").ask(
            new Inquiry(Question.STATUS, "", List.of(2, 2, 7, -1), LONG_NS));
        assertEquals(List.of(2), answers.texts().keySet().stream().toList());
        assertEquals(List.of(), answers.problems());
        assertEquals(List.of(2), sent.stream().map(Frame::node).toList());
    }

    @Test
    void shouldIgnoreAnswersWhenNobodyWaitsForThemAnyMore() throws Exception {
        Inquiries agents = agents("silent");
        agents.ask(new Inquiry(Question.STATUS, "", List.of(), SHORT_NS));
        agents.answered(0, new Answer(1, true, "late"));
        assertEquals(Map.of(), agents.ask(new Inquiry(Question.STATUS, "", List.of(), SHORT_NS)).texts());
    }

    @Test
    void shouldAskNoMoreWhenAnAgentStandsStill() throws Exception {
        Inquiries agents = agents("a", "silent", "a");
        Inquiry snapshot = new Inquiry(Question.SNAPSHOT, "", List.of(), SHORT_NS);
        assertEquals(List.of("host silent (node 1): no answer within 0.05 s"), agents.ask(snapshot).problems());
        sent.clear();
        for (int i = 0; i < 20; i++) {
            Inquiry.Answers answers = agents.ask(snapshot);
            assertEquals(Set.of(0, 2), answers.texts().keySet());
            assertEquals(List.of("host silent (node 1): has not answered earlier questions yet"), answers.problems());
        }
        assertEquals(Set.of(0, 2), sent.stream().map(Frame::node).collect(Collectors.toSet()));
        agents.answered(1, new Answer(1, true, "late"));
        sent.clear();
        assertEquals(1, agents.ask(snapshot).problems().size());
        assertEquals(List.of(Frame.ALL), sent.stream().map(Frame::node).toList(), "it is asked again");
        sent.clear();
        agents.began(1);
        assertEquals(1, agents.ask(snapshot).problems().size());
        assertEquals(List.of(Frame.ALL), sent.stream().map(Frame::node).toList(), "it had not heard the last");
    }

    @Test
    void shouldAskFewQuestionsOfOtherKindsWhenAnAgentStandsStill() throws Exception {
        Inquiries agents = agents("silent");
        for (int i = 0; i < 3 * OpenQuestions.MOST; i++) {
            agents.ask(new Inquiry(Question.STATUS, "", List.of(), 1));
        }
        assertEquals(OpenQuestions.MOST, sent.size());
        agents.ask(new Inquiry(Question.SNAPSHOT, "", List.of(), 1));
        assertEquals(OpenQuestions.MOST + 1, sent.size());
    }

    @Test
    void shouldTakeTurnsWhenTwoPagesLook() throws Exception {
        Inquiries agents = agents("a", "a");
        List<Thread> pages = new ArrayList<>();
        List<String> problems = Collections.synchronizedList(new ArrayList<>());
        for (int page = 0; page < 2; page++) {
            pages.add(Thread.ofVirtual().start(() -> {
                try {
                    for (int i = 0; i < 500; i++) {
                        problems.addAll(agents.ask(new Inquiry(Question.SNAPSHOT, "", List.of(), LONG_NS)).problems());
                    }
                } catch (IOException | InterruptedException e) {
                    problems.add(e.toString());
                }
            }));
        }
        for (Thread page : pages) {
            page.join();
        }
        assertEquals(List.of(), problems);
    }

    @Test
    void shouldShowTheWholeJobWhenTheLauncherIsAskedThroughItsSocket() throws Exception {
        Path socket;
        try (StatusSocket open = StatusSocket.open(jobId, agents("a", "b", "c"))) {
            socket = open.path();
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)));
            JobView job = LauncherSocket.all().get(jobId);
            JobReading reading = job.read();
            assertEquals(List.of(0, 2), reading.status().nodes().stream().map(NodeStatus::node).toList());
            assertEquals(List.of("host b (node 1): is tired"), reading.problems());
            assertEquals(Map.of(2, List.of("at here")), job.stacks(reading.status(),
                List.of(reading.status().rank(2)), LONG_NS));
        }
        assertFalse(Files.exists(socket.getParent()));
        assertFalse(LauncherSocket.all().containsKey(jobId));
    }

    @Test
    void shouldHangUpAndGoOnWhenOneSpeaksNonsense() throws Exception {
        try (StatusSocket open = StatusSocket.open(jobId, agents("a"))) {
            for (int i = 0; i < 10; i++) {
                try (SocketChannel requester = SocketChannel.open(
                    UnixDomainSocketAddress.of(open.path()))) {
                    requester.write(ByteBuffer.wrap("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8)));
                    assertEnds(requester);
                }
            }
            assertEquals(1, LauncherSocket.all().get(jobId).read().status().nodes().size());
        }
    }

    @Test
    void shouldFailWithAReasonWhenTheLauncherEndsMeanwhile() throws Exception {
        JobView job;
        try (StatusSocket open = StatusSocket.open(jobId, agents("a"))) {
            assertTrue(Files.exists(open.path()));
            job = LauncherSocket.all().get(jobId);
        }
        assertThrows(IOException.class, job::read);
    }

    /** The kernel accepts for it. */
    @Test
    void shouldSayThatItHasNotAnsweredWhenTheLauncherIsStopped(@TempDir Path folder) throws Exception {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("socket"));
        try (ServerSocketChannel stopped = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address)) {
            LauncherSocket launcher = new LauncherSocket(address.getPath(), Duration.ofMillis(20));
            IOException failure = assertThrows(IOException.class,
                () -> launcher.ask(new Inquiry(Question.STATUS, "", List.of(), 1_000_000), (node, text) -> { }));
            assertEquals("it has not answered within 0.021 s: was it stopped?", failure.getMessage());
            assertTrue(stopped.isOpen());
        }
    }

    private static void assertEnds(SocketChannel requester) {
        try {
            assertTrue(requester.read(ByteBuffer.allocate(16)) < 0);
        } catch (IOException e) {
            // Reset, as it had not read all of it.
        }
    }

    /** Hosts called {@code silent} do not answer, and {@code b} has reasons not to. */
    private Inquiries agents(String... hosts) {
        Inquiries[] agents = {null};
        agents[0] = Inquiries.ofNodes(jobId, List.of(hosts), (inquire, to) -> {
            Frame frame = Codec.encode(inquire, to);
            sent.add(frame);
            for (int node = 0; node < hosts.length; node++) {
                if ((frame.node() == Frame.ALL || frame.node() == node) && !hosts[node].equals("silent")) {
                    agents[0].answered(node, answer(frame, hosts[node], node));
                }
            }
        });
        return agents[0];
    }

    private Answer answer(Frame frame, String host, int node) {
        try {
            Command.Inquire inquire = (Command.Inquire) Codec.command(frame);
            return host.equals("b") ? NodeWitness.unknown(inquire, "is tired") : new Answer(inquire.number(), true,
                inquire.question() == Question.STACKS ? StackText.of(Map.of(node, List.of("at here")))
                    : NodeText.of(node(node)));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private NodeStatus node(int node) {
        return new NodeStatus(jobId, node, "3*1", 3, 3, 1, 1, ProcessState.RUNS, List.of(new NodeStatus.Rank(node,
            RankState.ATTACHED, 1, ProcessState.RUNS, 1, 0, List.of(), false)));
    }
}

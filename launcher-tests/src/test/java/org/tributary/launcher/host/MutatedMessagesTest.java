package org.tributary.launcher.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tributary.launcher.inquiry.HostsView;
import org.tributary.launcher.inquiry.LauncherSocket;
import org.tributary.launcher.inquiry.StatusSocket;
import org.tributary.launcher.job.Event;
import org.tributary.launcher.job.JobFiles;
import org.tributary.launcher.link.Answer;
import org.tributary.launcher.link.Codec;
import org.tributary.launcher.link.CodecTest;
import org.tributary.launcher.link.Command;
import org.tributary.launcher.link.Fan;
import org.tributary.launcher.link.Frame;
import org.tributary.launcher.link.Inquiry;
import org.tributary.launcher.link.Question;
import org.tributary.launcher.link.Summed;
import org.tributary.launcher.step.Asked;
import org.tributary.wire.shm.Latencies;
import org.tributary.wire.status.NodeSnapshot;
import org.tributary.wire.status.NodeText;
import org.tributary.wire.status.ServerCounts;
import org.tributary.wire.status.ServerCounts.Pair;

/**
 * What launcher, agents and observers of a job make of bytes that have changed on the way. A seed that fails
 * stands in the message.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MutatedMessagesTest {
    private static final int STREAMS = 5_000;
    private static final int CONNECTIONS = 300;
    /** Twice the most permits that a semaphore can have. */
    private static final int MANY = 2 * (Integer.MAX_VALUE / AgentOutput.WINDOW);
    private static final int MOST_CHANGES = 6;
    private static final JobSize SIZE = new JobSize(3, 5);
    private static final String NODE = "node job 0 =2 2 1 5 77 RUNS\nrank 0 ATTACHED 78 RUNS 1 2 false\n"
        + "wait COLLECTIVE 1 2 3 4\nrank 1 - 79 RUNS 1 2 true\n";
    private static final String DETAILS = "member 1 0 4 5 6 7 8 =a+b\nmember 1 1\nlock 1 0 0 1 0\n";

    private static byte[] stream(Frame... frames) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (Frame frame : frames) {
            frame.write(new DataOutputStream(bytes));
        }
        return bytes.toByteArray();
    }

    private static byte[] genuine() throws IOException {
        Command.Begin begin = new Command.Begin("job", new byte[16], "2*2", Map.of("A", "B"), List.of("server"),
            List.of("rank", ""), Map.of("C", "D"), true, "CORE", Map.of("PATH", "/bin"), "/tmp", List.of("ssh"),
            List.of("a"), "host l (pid 1)", List.of("a", "b"), 1);
        return stream(Stream.concat(
            Stream.concat(Stream.concat(CodecTest.commands(), Stream.of(begin))
                .filter(command -> !command.toString().contains("xxxx")).map(command -> Codec.encode(command, 1)),
                CodecTest.events().filter(event -> !event.toString().contains("xxxx"))
                    .map(event -> Codec.encode(event, 1))),
            Stream.of(new Frame(Codec.OUT, 2, new byte[40]), Codec.inputTaken(-1, 0), Codec.inputTaken(9, 0),
                Codec.encode(new Answer(3, true, NODE), 1), Codec.encode(new Summed(3, new Fan.Range(1, 9),
                    Optional.of("text"), Map.of(2, "why"), 4)), Codec.texts(List.of("a", "")), Codec.beat(0),
                Codec.encode(new Inquiry(Question.STACKS, "5 0 1", List.of(0, 2), 1L << 40)))).toArray(Frame[]::new));
    }

    /** Some bytes changed, a part left out, or a part repeated. */
    private static byte[] mutated(byte[] bytes, SplittableRandom random) {
        byte[] changed = bytes.clone();
        for (int change = random.nextInt(MOST_CHANGES); change >= 0; change--) {
            changed[random.nextInt(changed.length)] = switch (random.nextInt(4)) {
                case 0 -> 0;
                case 1 -> -1;
                case 2 -> 0x7f;
                default -> (byte) random.nextInt();
            };
        }
        int from = random.nextInt(changed.length);
        return switch (random.nextInt(4)) {
            case 0 -> Arrays.copyOf(changed, from);
            case 1 -> Arrays.copyOfRange(changed, from, changed.length);
            case 2 -> ByteBuffer.allocate(changed.length + from).put(changed).put(changed, 0, from).array();
            default -> changed;
        };
    }

    private interface Reading {
        Object read() throws IOException;
    }

    private static boolean isRead(Reading reading) {
        try {
            Object unused = reading.read();
            return true;
        } catch (IOException e) {
            assertFalse(e.getMessage() == null && !(e instanceof java.io.EOFException), e.toString());
            return false;
        }
    }

    @Test
    void shouldFailAsAnnouncedWhenFramesHaveChanged() throws IOException {
        byte[] genuine = genuine();
        int read = 0;
        for (int seed = 0; seed < STREAMS; seed++) {
            byte[] bytes = mutated(genuine, new SplittableRandom(seed));
            try {
                DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
                for (Frame frame = Frame.read(in); frame != null; frame = Frame.read(in)) {
                    read += readings(frame).map(reading -> isRead(reading) ? 1 : 0).reduce(0, Integer::sum);
                }
            } catch (IOException e) {
                assertTrue(e.getMessage() == null || !e.getMessage().isEmpty());
            } catch (RuntimeException | Error e) {
                throw new AssertionError("seed " + seed + ": " + e, e);
            }
        }
        assertTrue(read > STREAMS, read + " messages made sense");
    }

    private static Stream<Reading> readings(Frame frame) {
        return Stream.of(() -> Codec.command(frame), () -> checked(SIZE.event(frame)), () -> Codec.answer(frame),
            () -> Codec.inputTaken(frame), () -> Codec.inquiry(frame),
            () -> Codec.summed(frame).checked(new Fan.Range(1, 9)), () -> Codec.texts(frame));
    }

    /** Tables by node and by rank take these numbers. */
    private static Event checked(Event event) {
        boolean fits = switch (event) {
            case Event.HostReady ready -> ready.node() >= 0 && ready.node() < SIZE.nodes();
            case Event.HostGone gone -> gone.node() >= 0 && gone.count() > 0
                && (long) gone.node() + gone.count() <= SIZE.nodes();
            case Event.ServerReady ready -> ready.node() >= 0 && ready.node() < SIZE.nodes();
            case Event.RankEnded ended -> ended.rank() >= 0 && ended.rank() < SIZE.ranks();
            default -> true;
        };
        assertTrue(fits, event.toString());
        return event;
    }

    @Test
    void shouldFailAsAnnouncedWhenAnswersHaveChanged() {
        byte[] snapshot = new NodeSnapshot(NodeText.node(NODE), NodeText.details(DETAILS), new ServerCounts(5,
            List.of(), List.of(), List.of(new Pair(1, 0, 1 << 20, 1L << 40))),
            new int[Latencies.BYTES / Integer.BYTES]).encode();
        for (int seed = 0; seed < STREAMS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            String node = new String(mutated(NODE.getBytes(StandardCharsets.UTF_8), random), StandardCharsets.UTF_8);
            String details = new String(mutated(DETAILS.getBytes(StandardCharsets.UTF_8), random),
                StandardCharsets.UTF_8);
            String page = Base64.getEncoder().encodeToString(mutated(snapshot, random));
            HostsView view = new HostsView("job", (inquiry, taker) -> {
                taker.take(0, switch (inquiry.question()) {
                    case STATUS -> node;
                    case SNAPSHOT -> page;
                    default -> details;
                });
                return List.of();
            });
            try {
                boolean unused = isRead(() -> waited(view::read));
                unused = isRead(() -> waited(() -> view.step(Asked.first("page"))));
            } catch (RuntimeException | Error e) {
                throw new AssertionError("seed " + seed + ": " + e + "\n" + node + details, e);
            }
        }
    }

    private interface Asking {
        Object ask() throws IOException, InterruptedException;
    }

    private static Object waited(Asking asking) throws IOException {
        try {
            return asking.ask();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldKeepBytesOnTheirWayBoundedWhateverIsSaidToHaveArrived() throws InterruptedException {
        Window window = new Window(10);
        for (int count : new int[] {Integer.MAX_VALUE, -1, Integer.MIN_VALUE, 0, 7}) {
            for (int i = 0; i < 5; i++) {
                window.arrived(count);
            }
        }
        window.send(10);
        CountDownLatch sent = new CountDownLatch(1);
        Thread sender = Thread.ofVirtual().start(() -> {
            window.send(1);
            sent.countDown();
        });
        while (sender.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        assertEquals(1, sent.getCount());
        for (int i = 0; i < 5; i++) {
            window.open();
        }
        sent.await();
        window.arrived(Integer.MAX_VALUE);
        window.send(Integer.MAX_VALUE);
    }

    @Test
    void shouldTakeOutputAndInputWhateverIsSaidToHaveArrived() throws IOException {
        List<Frame> sent = new ArrayList<>();
        AgentOutput output = new AgentOutput(0, sent::add);
        HostInput input = new HostInput(sent::add, 0);
        for (int count : new int[] {AgentOutput.WINDOW, Integer.MAX_VALUE, Integer.MIN_VALUE, -1}) {
            for (int i = 0; i < MANY; i++) {
                output.taken(count);
                input.taken(count);
            }
        }
        output.stream(Codec.OUT).write(new byte[AgentOutput.WINDOW]);
        assertFalse(input.give(new byte[AgentOutput.WINDOW], AgentOutput.WINDOW), "nobody reads any more");
        assertEquals(1, sent.size());
        output.close();
        output.close();
    }

    @Test
    void shouldAnswerOthersWhenWhatIsAskedHasChanged() throws Exception {
        String job = "mutated-" + ProcessHandle.current().pid();
        Inquiry genuine = new Inquiry(Question.STATUS, "text", List.of(0, 2), 1L << 30);
        byte[] bytes = stream(Codec.encode(genuine), Codec.encode(genuine));
        StatusSocket socket = StatusSocket.open(job, (inquiry, taker) -> {
            taker.take(0, inquiry.question() == Question.STATUS ? NODE.replace("node job", "node " + job) : DETAILS);
            return List.of();
        });
        try {
            Path path = JobFiles.statusSockets().get(job);
            for (int seed = 0; seed < CONNECTIONS; seed++) {
                talk(path, mutated(bytes, new SplittableRandom(seed)));
            }
            assertEquals(List.of(), LauncherSocket.all().get(job).read().problems());
        } finally {
            socket.close();
        }
    }

    /** Sends all, and reads until the other end hangs up. */
    private static void talk(Path path, byte... bytes) throws IOException {
        try (SocketChannel launcher = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            launcher.connect(UnixDomainSocketAddress.of(path));
            launcher.write(ByteBuffer.wrap(bytes));
            launcher.shutdownOutput();
            ByteBuffer answer = ByteBuffer.allocate(1 << 16);
            while (launcher.read(answer.clear()) >= 0) {
                assertTrue(answer.position() > 0);
            }
        } catch (IOException e) {
            assertFalse(e.getMessage().isEmpty()); // it has hung up before all was sent
        }
    }
}

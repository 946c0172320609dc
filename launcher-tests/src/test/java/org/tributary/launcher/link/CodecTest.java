package org.tributary.launcher.link;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tributary.launcher.job.Event;

public class CodecTest {
    private static final String LONG = "x".repeat(100_000) + "\u00e9";

    @ParameterizedTest
    @MethodSource("commands")
    void shouldReadWhatWasWrittenWhenCommand(Command command) throws IOException {
        assertEquals(command, Codec.command(through(Codec.encode(command, 3))));
    }

    public static Stream<Command> commands() {
        return Stream.of(new Command.StartServers(), new Command.StartRanks(List.of("127.0.0.1:1", "[::1]:2")),
            new Command.Release(), new Command.End(15, LONG), new Command.Kill(), new Command.OutputTaken(7),
            new Command.Inquire("job", 8, Question.DETAILS, LONG), new Command.TellTime(),
            new Command.Examine(Map.of("A", LONG), "c", List.of("a")), new Command.Reach(List.of("a 127.0.0.1 7")),
            new Command.Launch(List.of("ssh", "-x"), List.of("a", "u@b"), 7),
            new Command.Collect("job", "/traces", LONG, "c", 7), new Command.Fetch(List.of(0, 7)),
            new Command.Look(Map.of("A", "b"), LONG));
    }

    @Test
    void shouldReadWhatWasWrittenWhenItIsTheFirstCommand() throws IOException {
        Command.Begin begin = new Command.Begin("job", new byte[] {1, 2}, "2*2", Map.of("A", LONG), List.of("server"),
            List.of("rank", ""), Map.of(), true, "CORE", Map.of("PATH", "/bin", "E", ""), "/tmp", List.of("ssh"),
            List.of("a"), "host l (pid 1)", List.of("a", "b"), 5);
        Command.Begin read = (Command.Begin) Codec.command(through(Codec.encode(begin, 5)));
        assertArrayEquals(begin.secret(), read.secret());
        assertEquals(begin, new Command.Begin(read.jobId(), begin.secret(), read.layout(), read.settings(),
            read.serverCommand(), read.rankCommand(), read.userVariables(), read.prefixed(), read.bind(),
            read.environment(), read.directory(), read.launchCommand(), read.peers(), read.launcher(), read.hosts(),
            read.firstNode()));
    }

    @ParameterizedTest
    @MethodSource("events")
    void shouldReadWhatWasWrittenWhenEvent(Event event) throws IOException {
        assertEquals(event, Codec.event(through(Codec.encode(event, 3))));
    }

    public static Stream<Event> events() {
        return Stream.of(new Event.HostReady(1, "a", "id", List.of("p", LONG)), new Event.HostGone(2, 3, "b", "why"),
            new Event.StartFailed(LONG), new Event.Remark("r"), new Event.ServerReady(4, "a:1"),
            new Event.ServerAborted(5, "reason"),
            new Event.ServerEnded(6, "server", 1, "last"), new Event.RankEnded(7, "rank 7", 75, 3),
            new Event.NodeEnded(6));
    }

    @Test
    void shouldReadWhatWasWrittenWhenInquiryOrAnswer() throws IOException {
        Inquiry inquiry = new Inquiry(Question.STACKS, LONG, List.of(0, 3), 1L << 40);
        assertEquals(inquiry, Codec.inquiry(through(Codec.encode(inquiry))));
        Answer answer = new Answer(4, false, LONG);
        assertEquals(answer, Codec.answer(through(Codec.encode(answer, 3))));
        assertEquals(List.of("a", LONG), Codec.texts(through(Codec.texts(List.of("a", LONG)))));
        assertThrows(IOException.class, () -> Codec.texts(Codec.encode(answer, 3)));
    }

    @Test
    void shouldReadWhatWasWrittenWhenStacks() {
        Map<Integer, List<String>> stacks = Map.of(3, List.of("main", "", "  at x"), 5, List.of());
        assertEquals(stacks, StackText.stacks(StackText.of(stacks)));
        assertEquals(new StackText.Wanted(7, Set.of(3, 5)), StackText.wanted(StackText.of(7, List.of(3, 5))));
        assertEquals(StackText.MOST_LIMIT_NS, StackText.wanted(Long.MAX_VALUE + " 3").limitNs());
        assertEquals(0, StackText.wanted("-5 3").limitNs());
        assertThrows(IllegalArgumentException.class, () -> StackText.stacks("3 2\nmain\n"));
    }

    @Test
    void shouldReadWhatWasWrittenWhenPartOfATrace() throws IOException {
        TracePart part = TracePart.of(through(new TracePart(3, 100, 97, new byte[] {1, 2, 3}).frame(2)));
        assertEquals(3, part.rank());
        assertEquals(100, part.length());
        assertEquals(97, part.offset());
        assertArrayEquals(new byte[] {1, 2, 3}, part.bytes());
        assertThrows(IOException.class, () -> TracePart.of(new TracePart(3, 100, 98, new byte[3]).frame(2)));
        assertThrows(IOException.class, () -> TracePart.of(new TracePart(3, 1L << 40, 0, new byte[3]).frame(2)));
        assertThrows(IOException.class, () -> TracePart.of(new TracePart(3, 100, -1, new byte[3]).frame(2)));
    }

    @Test
    void shouldFailWhenFrameMakesNoSense() {
        assertThrows(IOException.class, () -> Codec.command(new Frame((byte) 99, 0, new byte[0])));
        assertThrows(IOException.class, () -> Codec.event(new Frame((byte) 99, 0, new byte[0])));
        Frame event = Codec.encode(new Event.HostGone(2, 3, "b", "why"), 0);
        event.body()[8] = 0x7f; // the length of a text
        assertThrows(IOException.class, () -> Codec.event(event));
    }

    @Test
    void shouldTellTheEndFromAMessageCutOffWhenRead() throws IOException {
        assertNull(Frame.read(in(new byte[0])));
        assertThrows(IOException.class, () -> Frame.read(in(new byte[] {0, 0, 0, 1, 1, 0, 0, 0, 0})));
        assertThrows(IOException.class, () -> Frame.read(in("Warning: x".getBytes(StandardCharsets.UTF_8))));
    }

    private static DataInputStream in(byte[] bytes) {
        return new DataInputStream(new ByteArrayInputStream(bytes));
    }

    private static Frame through(Frame frame) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        frame.write(new DataOutputStream(bytes));
        Frame read = Frame.read(in(bytes.toByteArray()));
        assertEquals(frame.kind(), read.kind());
        assertEquals(frame.node(), read.node());
        return read;
    }
}

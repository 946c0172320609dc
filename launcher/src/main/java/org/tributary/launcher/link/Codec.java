package org.tributary.launcher.link;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.tributary.launcher.job.Event;

/** Commands and events as frames. Both sides are of one release, which they compare before the first frame. */
public final class Codec {
    /** Of output; {@link #isOutput}. */
    public static final byte OUT = 1;
    /** The same of standard error. */
    public static final byte ERR = 2;

    private static final byte BEGIN = 10;
    private static final byte START_SERVERS = 11;
    private static final byte START_RANKS = 12;
    private static final byte RELEASE = 13;
    private static final byte END = 14;
    private static final byte KILL = 15;
    private static final byte OUTPUT_TAKEN = 16;

    private static final byte INQUIRE = 17;
    private static final byte INQUIRY = 18;
    private static final byte EXAMINE = 19;
    private static final byte INPUT = 32;
    private static final byte TELL_TIME = 30;
    private static final byte REACH = 31;
    private static final byte LAUNCH = 41;
    private static final byte COLLECT = 34;
    private static final byte FETCH = 35;
    private static final byte LOOK = 36;

    private static final byte HOST_READY = 20;
    private static final byte HOST_GONE = 21;
    private static final byte START_FAILED = 22;
    private static final byte SERVER_READY = 23;
    private static final byte SERVER_ABORTED = 24;
    private static final byte SERVER_ENDED = 25;
    private static final byte RANK_ENDED = 26;
    private static final byte REMARK = 27;
    private static final byte ANSWER = 28;
    private static final byte TEXTS = 29;
    private static final byte INPUT_TAKEN = 33;
    private static final byte BEAT = 37;
    private static final byte SUMMED = 38;
    private static final byte NODE_ENDED = 39;
    private static final byte OUTPUT_ENDED = 40;

    private Codec() {
    }

    /** Whether its body is output of processes. */
    public static boolean isOutput(Frame frame) {
        return frame.kind() == OUT || frame.kind() == ERR;
    }

    public static Frame encode(Command command, int node) {
        return switch (command) {
            case Command.Begin begin -> frame(BEGIN, node, out -> write(out, begin));
            case Command.StartServers start -> frame(START_SERVERS, node, out -> { });
            case Command.StartRanks start -> frame(START_RANKS, node, out -> write(out, start.addresses()));
            case Command.Release release -> frame(RELEASE, node, out -> { });
            case Command.End end -> frame(END, node, out -> {
                out.writeInt(end.signal());
                write(out, end.reason());
            });
            case Command.Kill kill -> frame(KILL, node, out -> { });
            case Command.OutputTaken taken -> frame(OUTPUT_TAKEN, node, out -> out.writeInt(taken.bytes()));
            case Command.Inquire inquire -> frame(INQUIRE, node, out -> {
                write(out, inquire.jobId());
                out.writeInt(inquire.number());
                out.writeByte(inquire.question().ordinal());
                write(out, inquire.text());
            });
            case Command.Examine examine -> frame(EXAMINE, node, out -> {
                write(out, examine.settings());
                write(out, examine.connection());
                write(out, examine.peers());
            });
            case Command.Input input -> new Frame(INPUT, node, input.bytes());
            case Command.TellTime tell -> frame(TELL_TIME, node, out -> { });
            case Command.Reach reach -> frame(REACH, node, out -> write(out, reach.others()));
            case Command.Launch launch -> frame(LAUNCH, node, out -> {
                write(out, launch.launchCommand());
                write(out, launch.hosts());
                out.writeLong(launch.limitNs());
            });
            case Command.Collect collect -> frame(COLLECT, node, out -> {
                write(out, collect.jobId());
                write(out, collect.folder());
                write(out, collect.marker());
                write(out, collect.connection());
                out.writeLong(collect.silenceNs());
            });
            case Command.Fetch fetch -> frame(FETCH, node, out -> write(out, numbers(fetch.ranks())));
            case Command.Look look -> frame(LOOK, node, out -> {
                write(out, look.settings());
                write(out, look.connection());
            });
        };
    }

    public static Command command(Frame frame) throws IOException {
        DataInputStream in = body(frame);
        return switch (frame.kind()) {
            case BEGIN -> readBegin(in);
            case START_SERVERS -> new Command.StartServers();
            case START_RANKS -> new Command.StartRanks(readList(in));
            case RELEASE -> new Command.Release();
            case END -> new Command.End(in.readInt(), readText(in));
            case KILL -> new Command.Kill();
            case OUTPUT_TAKEN -> new Command.OutputTaken(in.readInt());
            case INQUIRE -> new Command.Inquire(readText(in), in.readInt(), readQuestion(in), readText(in));
            case EXAMINE -> new Command.Examine(readMap(in), readText(in), readList(in));
            case INPUT -> new Command.Input(frame.body());
            case TELL_TIME -> new Command.TellTime();
            case REACH -> new Command.Reach(readList(in));
            case LAUNCH -> new Command.Launch(readList(in), readList(in), in.readLong());
            case COLLECT -> new Command.Collect(readText(in), readText(in), readText(in), readText(in), in.readLong());
            case FETCH -> new Command.Fetch(readNumbers(in));
            case LOOK -> new Command.Look(readMap(in), readText(in));
            default -> throw new IOException("no command of kind " + frame.kind());
        };
    }

    private static Question readQuestion(DataInputStream in) throws IOException {
        int ordinal = in.readUnsignedByte();
        if (ordinal >= Question.values().length) {
            throw new IOException("no question of kind " + ordinal);
        }
        return Question.values()[ordinal];
    }

    public static Frame encode(Answer answer, int node) {
        return frame(ANSWER, node, out -> {
            out.writeInt(answer.number());
            out.writeBoolean(answer.isKnown());
            write(out, answer.text());
        });
    }

    public static boolean isAnswer(Frame frame) {
        return frame.kind() == ANSWER;
    }

    public static Answer answer(Frame frame) throws IOException {
        check(frame, ANSWER);
        DataInputStream in = body(frame);
        return new Answer(in.readInt(), in.readBoolean(), readText(in));
    }

    /** Of an answer or a sum, without what it says. */
    public static int numberOfAnswer(Frame frame) throws IOException {
        return body(frame).readInt();
    }

    public static Frame encode(Summed summed) {
        return frame(SUMMED, summed.nodes().first(), out -> {
            out.writeInt(summed.number());
            out.writeInt(summed.nodes().count());
            write(out, summed.text().stream().toList());
            write(out, numbers(List.copyOf(summed.problems().keySet())));
            write(out, List.copyOf(summed.problems().values()));
            out.writeInt(summed.more());
        });
    }

    public static boolean isSummed(Frame frame) {
        return frame.kind() == SUMMED;
    }

    public static Summed summed(Frame frame) throws IOException {
        check(frame, SUMMED);
        DataInputStream in = body(frame);
        int number = in.readInt();
        Fan.Range nodes = new Fan.Range(frame.node(), in.readInt());
        Optional<String> text = readList(in).stream().findFirst();
        List<Integer> numbers = readNumbers(in);
        List<String> why = readList(in);
        if (numbers.size() != why.size()) {
            throw new IOException(why.size() + " problems of " + numbers.size() + " nodes");
        }
        Map<Integer, String> problems = new LinkedHashMap<>();
        for (int i = 0; i < why.size(); i++) {
            problems.put(numbers.get(i), why.get(i));
        }
        return new Summed(number, nodes, text, problems, in.readInt());
    }

    /** So many bytes of the input of rank 0 have been read; it reads no more if that is -1. */
    public static Frame inputTaken(int bytes, int node) {
        return frame(INPUT_TAKEN, node, out -> out.writeInt(bytes));
    }

    public static boolean isInputTaken(Frame frame) {
        return frame.kind() == INPUT_TAKEN;
    }

    public static int inputTaken(Frame frame) throws IOException {
        check(frame, INPUT_TAKEN);
        return body(frame).readInt();
    }

    /** Says nothing: its bytes are for the kernels on the way, see {@link LauncherWatch}. */
    public static Frame beat(int node) {
        return new Frame(BEAT, node, new byte[0]);
    }

    static boolean isBeat(Frame frame) {
        return frame.kind() == BEAT;
    }

    /** Behind the last output of a node. */
    public static Frame outputEnded(int node) {
        return new Frame(OUTPUT_ENDED, node, new byte[0]);
    }

    public static boolean isOutputEnded(Frame frame) {
        return frame.kind() == OUTPUT_ENDED;
    }

    public static Frame encode(Inquiry inquiry) {
        return frame(INQUIRY, Frame.ALL, out -> {
            out.writeByte(inquiry.question().ordinal());
            write(out, inquiry.text());
            write(out, numbers(inquiry.nodes()));
            out.writeLong(inquiry.limitNs());
        });
    }

    public static Inquiry inquiry(Frame frame) throws IOException {
        check(frame, INQUIRY);
        DataInputStream in = body(frame);
        return new Inquiry(readQuestion(in), readText(in), readNumbers(in), in.readLong());
    }

    /** An answer of another form. */
    public static Frame texts(List<String> texts) {
        return frame(TEXTS, Frame.ALL, out -> write(out, texts));
    }

    public static List<String> texts(Frame frame) throws IOException {
        check(frame, TEXTS);
        return readList(body(frame));
    }

    private static void check(Frame frame, byte kind) throws IOException {
        if (frame.kind() != kind) {
            throw new IOException("a message of kind " + frame.kind() + " where one of " + kind + " is due");
        }
    }

    /** Whether an agent says that it has begun. */
    public static boolean isHostReady(Frame frame) {
        return frame.kind() == HOST_READY;
    }

    public static Frame encode(Event event, int node) {
        return switch (event) {
            case Event.HostReady ready -> frame(HOST_READY, node, out -> {
                out.writeInt(ready.node());
                write(out, ready.hostName());
                write(out, ready.identity());
                write(out, ready.problems());
            });
            case Event.HostGone gone -> frame(HOST_GONE, node, out -> {
                out.writeInt(gone.node());
                out.writeInt(gone.count());
                write(out, gone.host());
                write(out, gone.why());
            });
            case Event.StartFailed failed -> frame(START_FAILED, node, out -> write(out, failed.reason()));
            case Event.Remark remark -> frame(REMARK, node, out -> write(out, remark.text()));
            case Event.ServerReady ready -> frame(SERVER_READY, node, out -> {
                out.writeInt(ready.node());
                write(out, ready.address());
            });
            case Event.ServerAborted aborted -> frame(SERVER_ABORTED, node, out -> {
                out.writeInt(aborted.node());
                write(out, aborted.reason());
            });
            case Event.ServerEnded ended -> frame(SERVER_ENDED, node, out -> {
                out.writeInt(ended.node());
                write(out, ended.name());
                out.writeInt(ended.exitCode());
                write(out, ended.lastWords());
            });
            case Event.RankEnded ended -> frame(RANK_ENDED, node, out -> {
                out.writeInt(ended.rank());
                write(out, ended.name());
                out.writeInt(ended.exitCode());
                out.writeInt(ended.leaver());
            });
            case Event.NodeEnded ended -> frame(NODE_ENDED, node, out -> out.writeInt(ended.node()));
            case Event.SignalReceived received -> throw stays(event);
            case Event.Report report -> throw stays(event);
        };
    }

    private static IllegalArgumentException stays(Event event) {
        return new IllegalArgumentException("stays where it comes up: " + event);
    }

    public static Event event(Frame frame) throws IOException {
        DataInputStream in = body(frame);
        return switch (frame.kind()) {
            case HOST_READY -> new Event.HostReady(in.readInt(), readText(in), readText(in), readList(in));
            case HOST_GONE -> new Event.HostGone(in.readInt(), in.readInt(), readText(in), readText(in));
            case START_FAILED -> new Event.StartFailed(readText(in));
            case REMARK -> new Event.Remark(readText(in));
            case SERVER_READY -> new Event.ServerReady(in.readInt(), readText(in));
            case SERVER_ABORTED -> new Event.ServerAborted(in.readInt(), readText(in));
            case SERVER_ENDED -> new Event.ServerEnded(in.readInt(), readText(in), in.readInt(), readText(in));
            case RANK_ENDED -> new Event.RankEnded(in.readInt(), readText(in), in.readInt(), in.readInt());
            case NODE_ENDED -> new Event.NodeEnded(in.readInt());
            default -> throw new IOException("no event of kind " + frame.kind());
        };
    }

    private static void write(DataOutputStream out, Command.Begin begin) throws IOException {
        write(out, begin.jobId());
        out.writeInt(begin.secret().length);
        out.write(begin.secret());
        write(out, begin.layout());
        write(out, begin.settings());
        write(out, begin.serverCommand());
        write(out, begin.rankCommand());
        write(out, begin.userVariables());
        out.writeBoolean(begin.prefixed());
        write(out, begin.bind());
        write(out, begin.environment());
        write(out, begin.directory());
        write(out, begin.launchCommand());
        write(out, begin.peers());
        write(out, begin.launcher());
        write(out, begin.hosts());
        out.writeInt(begin.firstNode());
    }

    private static Command.Begin readBegin(DataInputStream in) throws IOException {
        Command.Begin begin = new Command.Begin(readText(in), readBytes(in), readText(in), readMap(in), readList(in),
            readList(in), readMap(in), in.readBoolean(), readText(in), readMap(in), readText(in), readList(in),
            readList(in), readText(in), readList(in), in.readInt());
        if (begin.hosts().isEmpty() || begin.firstNode() < 0) {
            throw new IOException("an agent of " + begin.hosts().size() + " hosts from node " + begin.firstNode());
        }
        return begin;
    }

    private static Frame frame(byte kind, int node, Body body) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            body.write(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Frame(kind, node, bytes.toByteArray());
    }

    private static DataInputStream body(Frame frame) {
        return new DataInputStream(new ByteArrayInputStream(frame.body()));
    }

    private static void write(DataOutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static void write(DataOutputStream out, List<String> texts) throws IOException {
        out.writeInt(texts.size());
        for (String text : texts) {
            write(out, text);
        }
    }

    private static void write(DataOutputStream out, Map<String, String> map) throws IOException {
        out.writeInt(map.size());
        for (Map.Entry<String, String> entry : map.entrySet()) {
            write(out, entry.getKey());
            write(out, entry.getValue());
        }
    }

    private static byte[] readBytes(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > in.available()) {
            throw new IOException("a text of " + length + " bytes in a message with " + in.available() + " left");
        }
        return in.readNBytes(length);
    }

    private static String readText(DataInputStream in) throws IOException {
        return new String(readBytes(in), StandardCharsets.UTF_8);
    }

    /** Each text takes the bytes of its length at least. */
    private static int readSize(DataInputStream in) throws IOException {
        int size = in.readInt();
        if (size < 0 || size > in.available() / Integer.BYTES) {
            throw new IOException(size + " texts in a message with " + in.available() + " bytes left");
        }
        return size;
    }

    private static List<String> readList(DataInputStream in) throws IOException {
        int size = readSize(in);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            texts.add(readText(in));
        }
        return texts;
    }

    private static List<String> numbers(List<Integer> numbers) {
        return numbers.stream().map(Object::toString).toList();
    }

    private static List<Integer> readNumbers(DataInputStream in) throws IOException {
        try {
            return readList(in).stream().map(Integer::valueOf).toList();
        } catch (NumberFormatException e) {
            throw new IOException("no number of a node or rank: " + e.getMessage(), e);
        }
    }

    private static Map<String, String> readMap(DataInputStream in) throws IOException {
        int size = readSize(in);
        Map<String, String> map = new LinkedHashMap<>();
        for (int i = 0; i < size; i++) {
            map.put(readText(in), readText(in));
        }
        return map;
    }

    /** Writes the body of a frame. */
    private interface Body {
        void write(DataOutputStream out) throws IOException;
    }
}

package org.tributary.client.bootstrap;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.tributary.wire.Deadline;
import org.tributary.wire.LongWait;

/**
 * PMI-1, the protocol of Hydra's process manager, which Slurm's {@code --mpi=pmi2} speaks as well: a line of
 * {@code key=value} a message, each answered by one line. Answers have different names from one process manager to
 * another, so only their values are looked at.
 */
final class Pmi implements KeyValues {
    static final String DESCRIPTOR = "PMI_FD";
    static final String PORT = "PMI_PORT";
    private static final String OK = "0";
    private static final String VALUE = "value";
    private static final int MAX_LINE = 8192;
    /** Some process managers take lines of 1024 characters, keys and names included. */
    private static final int MOST_OF_A_VALUE = 512;
    private static final int LEAST_OF_A_VALUE = 64;
    private static final int MOST_RANKS = 1 << 24;

    private final PmiChannel channel;
    private final long timeoutNs;
    private final StringBuilder pending = new StringBuilder();
    private int rank;
    private int size;
    private String space;
    private int valueLength;

    /** Says nothing yet. {@code timeoutNs} is how long an answer may take; one to a barrier, twice that. */
    Pmi(PmiChannel channel, long timeoutNs) {
        this.channel = channel;
        this.timeoutNs = timeoutNs;
    }

    /** By the variables that a launcher has set. */
    static Pmi open(Map<String, String> environment, long timeoutNs) throws IOException {
        if (!environment.getOrDefault(DESCRIPTOR, "").isBlank()) {
            Pmi pmi = new Pmi(PmiChannel.ofDescriptor(number(DESCRIPTOR, environment.get(DESCRIPTOR))), timeoutNs);
            pmi.begin(number("PMI_RANK", environment.get("PMI_RANK")), number("PMI_SIZE", environment.get("PMI_SIZE")));
            return pmi;
        }
        Pmi pmi = new Pmi(PmiChannel.ofPort(environment.get(PORT), timeoutNs), timeoutNs);
        pmi.beginByNumber(environment.getOrDefault("PMI_ID", "0"));
        return pmi;
    }

    /** At a port, the process manager tells this rank its number. */
    void beginByNumber(String id) throws IOException {
        ask("cmd=initack pmiid=" + id);
        Map<String, String> place = new HashMap<>();
        for (int i = 0; i < 3; i++) { // size, rank, debug
            place.putAll(line(timeoutNs, "initack"));
        }
        begin(number("rank", place.get("rank")), number("size", place.get("size")));
    }

    void begin(int ofRank, int ofSize) throws IOException {
        if (ofSize > MOST_RANKS || ofRank >= ofSize) {
            throw new IOException("PMI-1 says that this is rank " + ofRank + " of " + ofSize);
        }
        rank = ofRank;
        size = ofSize;
        String init = "cmd=init pmi_version=1 pmi_subversion=1";
        checked(init, init);
        Map<String, String> limits = ask("cmd=get_maxes");
        valueLength = Math.min(MOST_OF_A_VALUE, number("vallen_max", limits.get("vallen_max")) - 1);
        if (valueLength < LEAST_OF_A_VALUE) {
            throw new IOException("PMI-1 takes values of " + valueLength + " characters, at least " + LEAST_OF_A_VALUE
                + " are needed");
        }
        space = value("kvsname", ask("cmd=get_my_kvsname"), "get_my_kvsname");
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public String name() {
        return "PMI-1";
    }

    @Override
    public int valueLength() {
        return valueLength;
    }

    @Override
    public void put(String key, String value) throws IOException {
        checked("cmd=put kvsname=" + space + " key=" + key + " value=" + value, "cmd=put key=" + key);
    }

    @Override
    public String get(int ofRank, String key) throws IOException {
        return value(VALUE, checked("cmd=get kvsname=" + space + " key=" + key, "cmd=get key=" + key), "get");
    }

    @Override
    public void barrier() throws IOException {
        String command = "cmd=barrier_in";
        send(command);
        try {
            Map<String, String> answer = checkCode(line(2 * timeoutNs, command), command);
            if (!"barrier_out".equals(answer.get("cmd"))) {
                throw new IOException("the process manager answers '" + command + "' by " + shown(answer) + " (PMI-1)");
            }
        } catch (IOException e) {
            throw new IOException(e.getMessage() + "; do all " + size + " ranks attach?", e);
        }
    }

    @Override
    public void abort(int exitCode, String message) {
        try {
            send("cmd=abort exitcode=" + exitCode);
        } catch (IOException e) {
            leave(); // it has gone, and with it whatever it could end
        }
    }

    @Override
    public void leave() {
        try {
            ask("cmd=finalize");
        } catch (IOException e) {
            pending.setLength(0); // the process ends anyway
        }
    }

    /** {@code question} stands for the command in messages, which repeat no value: it may hold the job's secret. */
    private Map<String, String> checked(String command, String question) throws IOException {
        send(command);
        return checkCode(line(timeoutNs, question), question);
    }

    /** Not every answer has a code. */
    private static Map<String, String> checkCode(Map<String, String> answer, String question) throws IOException {
        if (!answer.getOrDefault("rc", OK).equals(OK)) {
            throw new IOException("PMI-1 refuses '" + question + "': " + shown(answer));
        }
        return answer;
    }

    private Map<String, String> ask(String command) throws IOException {
        send(command);
        return line(timeoutNs, command);
    }

    private void send(String command) throws IOException {
        channel.write((command + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    private Map<String, String> line(long withinNs, String question) throws IOException {
        Deadline deadline = Deadline.in(withinNs);
        LongWait wait = new LongWait(System.nanoTime());
        byte[] bytes = new byte[1024];
        int end = pending.indexOf("\n");
        while (end < 0) {
            int got = channel.read(bytes);
            if (got < 0) {
                throw new IOException("the process manager has closed its connection (PMI-1) instead of answering '"
                    + question + "'");
            }
            pending.append(new String(bytes, 0, got, StandardCharsets.ISO_8859_1));
            end = pending.indexOf("\n");
            if (end < 0 && pending.length() > MAX_LINE) {
                throw new IOException("the process manager answers '" + question + "' by a line of more than "
                    + MAX_LINE + " characters (PMI-1)");
            }
            if (end < 0 && deadline.isOver()) {
                throw new IOException("the process manager (PMI-1) has not answered '" + question + "' within "
                    + withinNs / 1e9 + " s (" + (withinNs == timeoutNs ? "" : "twice ") + "attach.timeout)");
            }
            if (wait.takeNotice(System.nanoTime())) {
                System.err.println("tributary: rank " + rank + " still waits for the process manager's answer to '"
                    + question + "' (" + wait.seconds(System.nanoTime()) + " s of "
                    + TimeUnit.NANOSECONDS.toSeconds(withinNs) + " s)");
            }
        }
        String line = pending.substring(0, end);
        pending.delete(0, end + 1);
        Map<String, String> values = new HashMap<>();
        for (String word : line.strip().split(" +")) {
            int equals = word.indexOf('=');
            values.putIfAbsent(equals < 0 ? word : word.substring(0, equals), word.substring(equals + 1));
        }
        if (!values.containsKey("cmd")) {
            throw new IOException("the process manager answers '" + question + "' by " + shown(line, question)
                + ", which is not PMI-1");
        }
        return values;
    }

    private static String value(String key, Map<String, String> answer, String question) throws IOException {
        String value = answer.get(key);
        if (value == null) {
            throw new IOException("the process manager's answer to '" + question + "' has no " + key + ": "
                + shown(answer));
        }
        return value;
    }

    /** An answer for a message, without the value that a rank has put. */
    private static String shown(Map<String, String> answer) {
        Map<String, String> shown = new TreeMap<>(answer);
        shown.computeIfPresent(VALUE, (key, value) -> "(" + value.length() + " characters)");
        return shown.toString();
    }

    /** The same for a line that is no answer; what is asked for by a key may be the value itself. */
    private static String shown(String line, String question) {
        return question.contains(" key=") || line.contains(VALUE + "=") ? line.length() + " characters"
            : "'" + line + "'";
    }

    private static int number(String what, String text) throws IOException {
        try {
            int number = Integer.parseInt(text == null ? "" : text.strip());
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new IOException("PMI-1: " + what + "='" + text + "' is not a number", e);
        }
        throw new IOException("PMI-1: " + what + "=" + text + " is negative");
    }
}

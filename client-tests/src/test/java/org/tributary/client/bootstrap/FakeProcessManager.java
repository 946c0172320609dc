package org.tributary.client.bootstrap;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/** Answers one rank after another at a port as PMI-1 says, or as a test wants. */
final class FakeProcessManager implements AutoCloseable {
    /** Ends the connection instead of answering. */
    static final String END = "END";
    /** Answers nothing. */
    static final String SILENCE = "";

    private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final UnaryOperator<String> instead;
    private final String size;

    /** {@code instead} gives other lines for what a rank says, or null. */
    FakeProcessManager(String size, UnaryOperator<String> instead) throws IOException {
        this.size = size;
        this.instead = instead;
        Thread.ofVirtual().start(this::serve);
    }

    Map<String, String> environment() {
        return Map.of("PMI_PORT", "127.0.0.1:" + listener.getLocalPort(), "PMI_ID", "7");
    }

    /** What ranks have said so far. */
    List<String> heard() {
        return heard;
    }

    private void serve() {
        while (!listener.isClosed()) {
            try (Socket rank = listener.accept();
                 BufferedReader lines = new BufferedReader(new InputStreamReader(rank.getInputStream(),
                     StandardCharsets.US_ASCII))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    heard.add(line);
                    String other = instead.apply(line);
                    String answer = other == null ? standard(line) : other;
                    if (answer.equals(END)) {
                        break;
                    }
                    rank.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
                }
            } catch (IOException e) {
                if (!listener.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private String standard(String line) {
        return switch (line.split("[ =]")[1]) {
            case "initack" -> "cmd=initack\ncmd=set size=" + size + "\ncmd=set rank=0\ncmd=set debug=0\n";
            case "init" -> "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n";
            case "get_maxes" -> "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024\n";
            case "get_my_kvsname" -> "cmd=my_kvsname kvsname=space\n";
            case "put" -> "cmd=put_result rc=0 msg=success\n";
            case "get" -> "cmd=get_result rc=0 msg=success value=0:text\n";
            case "barrier_in" -> "cmd=barrier_out\n";
            case "finalize" -> "cmd=finalize_ack\n";
            default -> "";
        };
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}

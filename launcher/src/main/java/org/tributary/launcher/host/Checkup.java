package org.tributary.launcher.host;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.tributary.config.Settings;
import org.tributary.config.Shortage;
import org.tributary.launcher.doctor.Diagnosis;
import org.tributary.launcher.doctor.Finding;
import org.tributary.launcher.doctor.Machine;
import org.tributary.launcher.doctor.ThisSystem;
import org.tributary.launcher.link.AcceptLoop;
import org.tributary.launcher.link.Codec;
import org.tributary.launcher.link.Command;
import org.tributary.launcher.link.Frame;
import org.tributary.launcher.link.FrameSender;
import org.tributary.launcher.node.OwnAddress;
import org.tributary.launcher.node.ServerPorts;

/**
 * A diagnosis on one host, by its agent. Answers are lists of texts: of {@link Command.Examine} the host's name, the
 * address at which it listens as a server would, then five texts for each finding; of {@link Command.Reach} two for
 * each of the others, why its name and why its address are of no use, or nothing.
 */
final class Checkup {
    /** Of a name of a host and an address. */
    static final String SEPARATOR = " ";
    static final int TEXTS_OF_FINDING = 5;
    private static final byte[] HELLO = "tributary doctor\n".getBytes(StandardCharsets.US_ASCII);
    private static final int CONNECT_MS = 5_000;

    private final Settings settings;
    private final String release;
    private final FrameSender sender;

    Checkup(Command.Examine examine, String release, FrameSender sender) {
        this.settings = ThisHost.get().settings(examine.settings(), examine.peers());
        this.release = release;
        this.sender = sender;
    }

    /** Answers until the launcher hangs up. */
    void run(DataInputStream in) throws IOException, InterruptedException {
        List<Finding> findings = new ArrayList<>(Diagnosis.of(new Machine(Path.of("/"), settings,
            new ThisSystem(settings)), release).findings());
        try (ServerSocket server = new ServerSocket()) {
            answer(examined(findings, listen(server, findings)));
            for (Frame frame = Frame.read(in); frame != null; frame = Frame.read(in)) {
                switch (Codec.command(frame)) {
                    case Command.TellTime tell -> answer(List.of(Long.toString(System.currentTimeMillis())));
                    case Command.Reach reach -> answer(reached(reach.others()));
                    default -> throw new IOException("an order to a job within a diagnosis");
                }
            }
        }
    }

    private void answer(List<String> texts) {
        sender.send(Codec.texts(texts));
    }

    private static List<String> examined(List<Finding> findings, String address) {
        List<String> texts = new ArrayList<>(List.of(ThisHost.get().name(), address));
        findings.forEach(finding -> texts.addAll(List.of(finding.level().name(), finding.subject(), finding.measured(),
            finding.limit(), finding.remedy())));
        return texts;
    }

    /** Where the server of this host would; empty when it could not. */
    private String listen(ServerSocket server, List<Finding> to) {
        String problem = ServerPorts.listen(server, settings);
        if (!problem.isEmpty()) {
            Finding found = Finding.portUnusable(problem);
            if (!to.contains(found)) { // another process may have taken the port only now
                to.add(found);
            }
            return "";
        }
        Thread.ofVirtual().start(() -> greet(server));
        return address(server.getInetAddress()).map(address -> address + SEPARATOR + server.getLocalPort()).orElse("");
    }

    /** By which others reach a server that listens there; none is a finding of the network's check. */
    private Optional<String> address(InetAddress bound) {
        try {
            return Optional.of(bound.isAnyLocalAddress() ? OwnAddress.of(settings) : bound.getHostAddress());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Until the diagnosis is over. */
    private static void greet(ServerSocket server) {
        AcceptLoop.run(new AcceptLoop.Source<Socket>() {
            @Override
            public Socket accept() throws IOException {
                return server.accept();
            }

            @Override
            public boolean isOpen() {
                return !server.isClosed();
            }
        }, other -> {
            try (other) {
                other.getOutputStream().write(HELLO);
            }
        });
    }

    private static List<String> reached(List<String> others) throws InterruptedException {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            return threads.invokeAll(others.stream().map(other -> (Callable<List<String>>) () -> reach(other)).toList())
                .stream().flatMap(answer -> answer.resultNow().stream()).toList();
        }
    }

    private static List<String> reach(String other) {
        String[] words = other.split(SEPARATOR);
        return List.of(resolve(words[0]), connect(new InetSocketAddress(words[1], Integer.parseInt(words[2]))));
    }

    private static String resolve(String name) {
        try {
            InetAddress[] unused = InetAddress.getAllByName(name);
            return "";
        } catch (UnknownHostException e) {
            return "is not known here";
        }
    }

    private static String connect(InetSocketAddress address) {
        try (Socket socket = new Socket()) {
            socket.connect(address, CONNECT_MS);
            socket.setSoTimeout(CONNECT_MS);
            return Arrays.equals(socket.getInputStream().readNBytes(HELLO.length), HELLO) ? ""
                : "something else answers";
        } catch (IOException e) {
            return Shortage.describe(e);
        }
    }
}

package org.tributary.launcher.host;

import java.io.DataInputStream;
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
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.tributary.config.Settings;
import org.tributary.config.Shortage;
import org.tributary.launcher.doctor.Diagnosis;
import org.tributary.launcher.doctor.Finding;
import org.tributary.launcher.doctor.Machine;
import org.tributary.launcher.doctor.ThisSystem;
import org.tributary.launcher.job.LineSink;
import org.tributary.launcher.link.AcceptLoop;
import org.tributary.launcher.link.Codec;
import org.tributary.launcher.link.Command;
import org.tributary.launcher.link.Frame;
import org.tributary.launcher.link.FrameSender;
import org.tributary.launcher.node.NameLookup;
import org.tributary.launcher.node.OwnAddress;
import org.tributary.launcher.node.ServerPorts;

/**
 * A diagnosis on one host, by its agent. Answers are lists of texts: of {@link Command.Examine} the host's name, the
 * address at which it listens as a server would, then five texts for each finding; of {@link Command.Reach} two for
 * each of the others, why its name and why its address are of no use, or nothing; of {@link Command.Launch} those of
 * {@link Launches}.
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
    /** Starts agents on other hosts; null until it is asked to. */
    private volatile Thread launching;

    Checkup(Command.Examine examine, String release, FrameSender sender) {
        this.settings = ThisHost.get().settings(examine.settings(), examine.peers());
        this.release = release;
        this.sender = sender;
    }

    /** Answers until the launcher hangs up; nothing that was started on other hosts is left then. */
    void run(DataInputStream in) throws IOException, InterruptedException {
        List<Finding> findings = new ArrayList<>(Diagnosis.of(new Machine(Path.of("/"), settings,
            new ThisSystem(settings)), release).findings());
        try (ServerSocket server = new ServerSocket()) {
            answer(examined(findings, listen(server, findings)));
            for (Frame frame = Frame.read(in); frame != null; frame = Frame.read(in)) {
                switch (Codec.command(frame)) {
                    case Command.TellTime tell -> answer(List.of(Long.toString(System.currentTimeMillis())));
                    case Command.Reach reach -> answer(reached(reach.others()));
                    case Command.Launch launch -> launch(launch);
                    default -> throw new IOException("an order to a job within a diagnosis");
                }
            }
        } finally {
            stop();
        }
    }

    /** On a thread of its own, as these agents have to end, too, when the launcher hangs up meanwhile. */
    private void launch(Command.Launch launch) {
        launching = Thread.ofVirtual().name("agents on other hosts").start(() -> {
            try {
                answer(Launches.tried(launch, release, LineSink.ofStandardError()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // nobody waits for the answer
            }
        });
    }

    /** Ends what is being started on other hosts, which takes seconds at most. May be called by any thread. */
    void stop() {
        Thread started = launching;
        if (started == null) {
            return;
        }
        started.interrupt();
        try {
            started.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
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

    /** Connections are tried beside the lookup of names, which may take its time. */
    private static List<String> reached(List<String> others) throws InterruptedException {
        List<String[]> all = others.stream().map(other -> other.split(SEPARATOR)).toList();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<String>> connected = all.stream().map(words -> threads.submit(() ->
                connect(new InetSocketAddress(words[1], Integer.parseInt(words[2]))))).toList();
            List<NameLookup.Answer> names = new NameLookup().answers(all.stream().map(words -> words[0]).toList());
            List<String> texts = new ArrayList<>();
            for (int i = 0; i < all.size(); i++) {
                texts.add(described(names.get(i)));
                texts.add(result(connected.get(i)));
            }
            return texts;
        }
    }

    private static String described(NameLookup.Answer name) {
        return !name.isAnswered() ? NameLookup.NO_ANSWER : name.addresses().isEmpty() ? "is not known here" : "";
    }

    private static String result(Future<String> connection) throws InterruptedException {
        try {
            return connection.get();
        } catch (ExecutionException e) {
            return Shortage.describe(e.getCause());
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

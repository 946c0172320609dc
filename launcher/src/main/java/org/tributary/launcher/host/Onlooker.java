package org.tributary.launcher.host;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.tributary.config.Settings;
import org.tributary.config.Shortage;
import org.tributary.launcher.status.LocalJob;
import org.tributary.wire.shm.NodeDirectory;

/**
 * Tells another machine of the user's jobs on this host, whoever has started them, by its agent. Answers
 * {@link Command.Look} by an empty list of texts, {@link Question#JOBS} by a line for each node, its job and its
 * number, and other questions for the node of the frame. The jobs do not notice.
 */
final class Onlooker {
    private final Command.Look told;
    private final Settings settings;
    private final DataOutputStream out;
    private final Map<NodeDirectory, Answering> nodes = new HashMap<>();
    /** Nobody is there to read what is sent. */
    private volatile boolean unheard;

    Onlooker(Command.Look told, DataOutputStream out) {
        this.told = told;
        this.settings = Settings.builder().environment(told.settings()).build();
        this.out = out;
    }

    /** Answers until the one who looks hangs up. */
    void run(DataInputStream in) throws IOException {
        LauncherWatch.of(System.getenv(), Map.of(LauncherWatch.SSH_CONNECTION, told.connection()),
            settings.connectionSilenceTimeoutNs()).ifPresent(watch ->
            watch.start(() -> send(Codec.beat(Frame.ALL)), () -> {
                unheard = true;
                close();
                System.exit(1); // the other thread waits for what does not come
            }));
        try {
            send(Codec.texts(List.of()));
            for (Frame frame = Frame.read(in); frame != null; frame = Frame.read(in)) {
                if (!(Codec.command(frame) instanceof Command.Inquire inquire)) {
                    throw new IOException("an order from one who only looks");
                }
                answer(inquire, frame.node());
            }
        } finally {
            close();
        }
    }

    private void answer(Command.Inquire inquire, int number) {
        Path shm = settings.shmDirectory();
        if (inquire.question() == Question.JOBS) {
            send(Codec.encode(jobs(inquire, shm), number));
            return;
        }
        synchronized (nodes) {
            nodes.computeIfAbsent(NodeDirectory.of(shm, inquire.jobId(), number), directory ->
                new Answering(new NodeWitness(directory)::answer, answer -> send(Codec.encode(answer, number))))
                .answer(inquire);
        }
    }

    private static Answer jobs(Command.Inquire inquire, Path shm) {
        try {
            return new Answer(inquire.number(), true, LocalJob.nodesByJob(shm).entrySet().stream().flatMap(job ->
                job.getValue().stream().map(node -> job.getKey() + " " + node)).collect(Collectors.joining("\n")));
        } catch (IOException e) {
            return NodeWitness.unknown(inquire, "cannot look into " + shm + ": " + Shortage.describe(e));
        }
    }

    /** From any thread. */
    private void send(Frame frame) {
        if (unheard) {
            return; // who holds the lock may wait for room in the pipe
        }
        synchronized (out) {
            try {
                frame.write(out);
                out.flush();
            } catch (IOException e) {
                // The one who looks is gone, which the other direction tells.
            }
        }
    }

    /** Programs that take stacks end. */
    private void close() {
        synchronized (nodes) {
            nodes.values().forEach(Answering::close);
        }
    }
}

package org.tributary.launcher.inquiry;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.tributary.config.Settings;
import org.tributary.config.Shortage;
import org.tributary.launcher.link.Answer;
import org.tributary.launcher.link.Codec;
import org.tributary.launcher.link.Command;
import org.tributary.launcher.link.Frame;
import org.tributary.launcher.link.FrameSender;
import org.tributary.launcher.link.LauncherWatch;
import org.tributary.launcher.link.Question;
import org.tributary.launcher.status.LocalJob;
import org.tributary.wire.shm.NodeDirectory;

/**
 * Tells another machine of all of the user's jobs on this host, by its agent. Answers
 * {@link Command.Look} by an empty list of texts, {@link Question#JOBS} by a line for each node, its job and its
 * number, and other questions for the node of the frame. The jobs do not notice.
 */
public final class Onlooker {
    private final Command.Look told;
    private final Settings settings;
    private final FrameSender sender;
    private final Map<NodeDirectory, Answering> nodes = new HashMap<>();

    public Onlooker(Command.Look told, FrameSender sender) {
        this.told = told;
        this.settings = Settings.builder().environment(told.settings()).build();
        this.sender = sender;
    }

    /** Answers until the other side hangs up. */
    public void run(DataInputStream in) throws IOException {
        LauncherWatch.endProcess(told.connection(), settings.connectionSilenceTimeoutNs(), sender, this::close);
        try {
            sender.send(Codec.texts(List.of()));
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
            sender.send(Codec.encode(jobs(inquire, shm), number));
            return;
        }
        synchronized (nodes) {
            nodes.computeIfAbsent(NodeDirectory.of(shm, inquire.jobId(), number), directory ->
                new Answering(new NodeWitness(directory, "")::answer,
                    answer -> sender.send(Codec.encode(answer, number)))).answer(inquire);
        }
    }

    private static Answer jobs(Command.Inquire inquire, Path shm) {
        try {
            return new Answer(inquire.number(), true, LocalJob.nodesByJob(shm).entrySet().stream().flatMap(job ->
                job.getValue().stream().map(node -> job.getKey() + " " + node)).collect(Collectors.joining("\n")));
        } catch (IOException e) {
            return NodeWitness.unknown(inquire, "cannot look into " + shm + ": " + Shortage.describe(e, shm));
        }
    }

    /** Programs that take stacks end. */
    private void close() {
        synchronized (nodes) {
            nodes.values().forEach(Answering::close);
        }
    }
}

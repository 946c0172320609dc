package org.tributary.launcher.host;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.tributary.config.Shortage;
import org.tributary.launcher.inquiry.ClockProbe;
import org.tributary.launcher.link.Codec;
import org.tributary.launcher.link.Command;
import org.tributary.launcher.link.Frame;
import org.tributary.launcher.link.FrameSender;
import org.tributary.launcher.link.TracePart;
import org.tributary.wire.shm.TraceLayout;

/**
 * Gives the traces of a host to the launcher when the job has ended, by its agent. Answers {@link Command.Collect} by
 * {@link #SHARED} or nothing, {@link Command.TellTime} by a time, and {@link Command.Fetch} by {@link TracePart}s, then
 * by what has gone wrong. It sends no faster than the launcher takes: the connection holds it up.
 */
final class TraceSender {
    /** The launcher has the same folder. */
    static final String SHARED = "shared";

    private final Command.Collect told;
    private final int node;
    private final FrameSender sender;
    private final byte[] piece = new byte[TracePart.MOST_BYTES];

    TraceSender(Command.Collect told, int node, FrameSender sender) {
        this.told = told;
        this.node = node;
        this.sender = sender;
    }

    /** Answers until the launcher hangs up. */
    void run(DataInputStream in) throws IOException {
        answer(List.of(Files.exists(Path.of(told.folder()).resolve(told.marker())) ? SHARED : ""));
        for (Frame frame = Frame.read(in); frame != null; frame = Frame.read(in)) {
            switch (Codec.command(frame)) {
                case Command.TellTime tell -> answer(List.of(ClockProbe.answer()));
                case Command.Fetch fetch -> answer(send(fetch.ranks()));
                default -> throw new IOException("an order to a job that has ended");
            }
        }
    }

    private void answer(List<String> texts) {
        sender.send(Codec.texts(texts));
    }

    /** Less when nobody takes it any more. */
    private List<String> send(List<Integer> ranks) throws IOException {
        List<String> problems = new ArrayList<>();
        for (int rank : ranks) {
            String problem = send(rank, TraceLayout.file(Path.of(told.folder()), told.jobId(), rank));
            if (!problem.isEmpty()) {
                problems.add(problem);
            }
        }
        return problems;
    }

    /** Returns why the file cannot be read, or nothing. */
    private String send(int rank, Path file) throws IOException {
        InputStream from;
        long length;
        try {
            length = Math.min(Files.size(file), TraceLayout.fileBytes());
            from = Files.newInputStream(file);
        } catch (NoSuchFileException e) {
            return ""; // the rank has not attached
        } catch (IOException e) {
            return "cannot read " + file + ": " + Shortage.describe(e, file);
        }
        try (from) {
            for (long offset = 0; offset < length && sender.isHeard(); offset += piece.length) {
                int count;
                try {
                    count = from.readNBytes(piece, 0, (int) Math.min(piece.length, length - offset));
                } catch (IOException e) {
                    return "cannot read " + file + ": " + Shortage.describe(e, file);
                }
                if (!isEmpty(count)) {
                    sender.send(new TracePart(rank, length, offset, Arrays.copyOf(piece, count)).frame(node));
                }
            }
        }
        sender.send(new TracePart(rank, length, length, new byte[0]).frame(node));
        return "";
    }

    /** Whether there are only zeros: most of a file that few records are in is left out. */
    private boolean isEmpty(int count) {
        return IntStream.range(0, count).allMatch(i -> piece[i] == 0);
    }
}

package org.tributary.launcher.inquiry;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.tributary.launcher.job.JobFiles;
import org.tributary.launcher.link.Codec;
import org.tributary.launcher.link.Frame;
import org.tributary.launcher.link.Inquiry;
import org.tributary.launcher.status.JobView;

/** The way from another process to a launcher of this user on this machine: the other end of {@link StatusSocket}. */
public final class LauncherSocket {
    /** Longer than the agents are given. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Path path;

    private LauncherSocket(Path path) {
        this.path = path;
    }

    /** The jobs on several hosts whose launchers run here, by id. */
    public static Map<String, JobView> all() throws IOException {
        Map<String, JobView> jobs = new TreeMap<>();
        JobFiles.statusSockets().forEach((job, path) ->
            jobs.put(job, new HostsView(job, new LauncherSocket(path)::ask)));
        return jobs;
    }

    private List<String> ask(Inquiry inquiry, Inquiry.Taker taker) throws IOException, InterruptedException {
        try (SocketChannel launcher = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            Thread limit = Thread.ofVirtual().start(() -> closeAfter(launcher, inquiry.limitNs()));
            try {
                launcher.connect(UnixDomainSocketAddress.of(path));
                Codec.encode(inquiry).write(new DataOutputStream(Channels.newOutputStream(launcher)));
                return take(new DataInputStream(new BufferedInputStream(Channels.newInputStream(launcher))), taker);
            } finally {
                limit.interrupt();
                limit.join();
            }
        }
    }

    private static List<String> take(DataInputStream in, Inquiry.Taker taker) throws IOException {
        for (Frame frame = Frame.read(in); frame != null; frame = Frame.read(in)) {
            if (!Codec.isAnswer(frame)) {
                return Codec.texts(frame);
            }
            taker.take(frame.node(), Codec.answer(frame).text());
        }
        throw new EOFException("the launcher has hung up: it answers others, or it ends");
    }

    private static void closeAfter(SocketChannel launcher, long limitNs) {
        try {
            Thread.sleep(PATIENCE.plusNanos(limitNs));
            launcher.close();
        } catch (IOException e) {
            // As good as closed.
        } catch (InterruptedException e) {
            // It has answered.
        }
    }
}

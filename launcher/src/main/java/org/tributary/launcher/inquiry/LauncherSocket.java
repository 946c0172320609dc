package org.tributary.launcher.inquiry;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
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
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Path path;
    private final Duration patience;

    /** {@code patience}: how much longer than the agents it is given. */
    LauncherSocket(Path path, Duration patience) {
        this.path = path;
        this.patience = patience;
    }

    /** The jobs on several hosts whose launchers run here, by id. */
    public static Map<String, JobView> all() throws IOException {
        Map<String, JobView> jobs = new TreeMap<>();
        JobFiles.statusSockets().forEach((job, path) ->
            jobs.put(job, new HostsView(job, new LauncherSocket(path, PATIENCE)::ask)));
        return jobs;
    }

    List<String> ask(Inquiry inquiry, Inquiry.Taker taker) throws IOException, InterruptedException {
        Duration longest = patience.plusNanos(inquiry.limitNs());
        try (SocketChannel launcher = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            Thread limit = Thread.ofVirtual().start(() -> closeAfter(launcher, longest));
            try {
                launcher.connect(UnixDomainSocketAddress.of(path));
                Codec.encode(inquiry).write(new DataOutputStream(Channels.newOutputStream(launcher)));
                return take(new DataInputStream(new BufferedInputStream(Channels.newInputStream(launcher))), taker);
            } catch (ClosedChannelException e) {
                throw new IOException("it has not answered within " + longest.toMillis() / 1e3
                    + " s: was it stopped?", e);
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

    private static void closeAfter(SocketChannel launcher, Duration longest) {
        try {
            Thread.sleep(longest);
            launcher.close();
        } catch (IOException e) {
            // As good as closed.
        } catch (InterruptedException e) {
            // It has answered.
        }
    }
}

package org.tributary.launcher.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.tributary.config.HostFacts;
import org.tributary.config.Shortage;
import org.tributary.launcher.inquiry.ClockProbe;
import org.tributary.launcher.job.LineSink;
import org.tributary.launcher.link.AgentLink;
import org.tributary.launcher.link.AgentLinks;
import org.tributary.launcher.link.Codec;
import org.tributary.launcher.link.Command;
import org.tributary.launcher.link.Fan;
import org.tributary.launcher.link.Frame;
import org.tributary.launcher.link.LaunchCommand;
import org.tributary.launcher.link.TracePart;
import org.tributary.launcher.trace.Clocks;
import org.tributary.wire.Deadline;
import org.tributary.wire.shm.TraceLayout;

/**
 * Takes the traces of one host's ranks, by an agent that it starts there. The thread of the connection writes what
 * comes, so that the agent sends no faster than that; another one waits for it.
 */
final class TraceTaker implements AgentLink.Listener {
    /** Without a word of the agent. */
    private static final long SILENCE_NS = TimeUnit.SECONDS.toNanos(30);

    private final int node;
    private final String host;
    private final LongConsumer taken;
    private final BlockingQueue<Reply> replies = new LinkedBlockingQueue<>();
    private final ClockProbe clock = new ClockProbe(HostFacts.bootId());
    private volatile TraceFiles files;
    private volatile long heardNs = System.nanoTime();
    private volatile AgentLink link;

    /** {@code taken} is told how many bytes have come. */
    TraceTaker(int node, String host, LongConsumer taken) {
        this.node = node;
        this.host = host;
        this.taken = taken;
    }

    /** An answer of the agent, or the reason why there are no more: {@code why} is empty for an answer. */
    private record Reply(List<String> texts, String why) {
    }

    /** There is nothing more to be taken, for that reason. */
    static final class LostException extends Exception {
        private static final long serialVersionUID = 1;

        LostException(String why) {
            super(why);
        }
    }

    @Override
    public void frame(Fan.Range from, Frame frame) {
        heardNs = System.nanoTime();
        try {
            if (frame.kind() == TracePart.KIND) {
                TraceFiles to = files;
                if (to != null) {
                    to.add(TracePart.of(frame));
                    taken.accept(frame.body().length);
                }
            } else {
                replies.add(new Reply(Codec.texts(frame), ""));
            }
        } catch (IOException e) {
            replies.add(new Reply(List.of(), "cannot write: " + Shortage.describe(e)));
            link.destroy();
        }
    }

    @Override
    public void gone(Fan.Range range, String which, String why) {
        replies.add(new Reply(List.of(), why));
    }

    /**
     * Takes what is there of these ranks.
     *
     * @param limitNs how long the way to the host may take
     * @return what the agent could not read
     */
    List<String> take(LaunchCommand launch, Command.Collect collect, List<Integer> ranks, Path folder, String release,
        long limitNs, LineSink err) throws LostException, IOException, InterruptedException {
        link = new AgentLink(new Fan.Range(node, 1), host, release, Codec.encode(collect, node), this, err);
        link.start(launch, host, AgentLinks.agentCommand());
        try {
            boolean isShared = await(limitNs).equals(List.of(TraceSender.SHARED));
            compareClocks();
            TreeSet<Integer> missing = new TreeSet<>(ranks);
            missing.removeIf(rank -> Files.exists(TraceLayout.file(folder, collect.jobId(), rank)));
            if (isShared || missing.isEmpty()) {
                return List.of();
            }
            try (TraceFiles to = new TraceFiles(folder, collect.jobId(), missing)) {
                files = to;
                return ask(new Command.Fetch(List.copyOf(missing)));
            }
        } finally {
            AgentLink.end(List.of(link));
        }
    }

    private void compareClocks() throws LostException, InterruptedException {
        for (int i = 0; i < ClockProbe.EXCHANGES; i++) {
            long sentNs = System.nanoTime();
            List<String> texts = ask(new Command.TellTime());
            if (texts.size() == 1) {
                clock.add(sentNs, texts.getFirst(), heardNs);
            }
        }
    }

    /** Of the host's clock, or null. */
    Clocks.Reading clock() {
        return clock.best();
    }

    private List<String> ask(Command command) throws LostException, InterruptedException {
        link.send(Codec.encode(command, node));
        return await(SILENCE_NS);
    }

    /** Counts from when the agent was last heard of. */
    private List<String> await(long silenceNs) throws LostException, InterruptedException {
        long countedNs = heardNs;
        Deadline deadline = Deadline.in(silenceNs);
        while (true) {
            Reply reply = replies.poll(Math.clamp(deadline.leftNs(), 1, Deadline.LOOK_NS), TimeUnit.NANOSECONDS);
            if (reply != null) {
                if (reply.why.isEmpty()) {
                    return reply.texts;
                }
                throw new LostException(reply.why);
            }
            if (heardNs != countedNs) {
                countedNs = heardNs;
                deadline = Deadline.in(silenceNs);
            }
            if (deadline.isOver()) {
                throw new LostException("no answer within " + TimeUnit.NANOSECONDS.toMillis(silenceNs) / 1e3 + " s");
            }
        }
    }
}

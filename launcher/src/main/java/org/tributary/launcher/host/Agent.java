package org.tributary.launcher.host;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.tributary.config.Settings;
import org.tributary.config.Shortage;
import org.tributary.config.Topology;
import org.tributary.launcher.bind.BindPolicy;
import org.tributary.launcher.inquiry.Answering;
import org.tributary.launcher.inquiry.NodeWitness;
import org.tributary.launcher.inquiry.Onlooker;
import org.tributary.launcher.job.Event;
import org.tributary.launcher.job.ExitCodes;
import org.tributary.launcher.job.JobFiles;
import org.tributary.launcher.job.JobPlan;
import org.tributary.launcher.job.LastResort;
import org.tributary.launcher.job.LastOutput;
import org.tributary.launcher.job.LineSink;
import org.tributary.launcher.job.LocalNodes;
import org.tributary.launcher.job.NodeShare;
import org.tributary.launcher.job.Signals;
import org.tributary.launcher.job.StandardInput;
import org.tributary.launcher.link.AgentLink;
import org.tributary.launcher.link.AgentLinks;
import org.tributary.launcher.link.Codec;
import org.tributary.launcher.link.Command;
import org.tributary.launcher.link.Fan;
import org.tributary.launcher.link.Frame;
import org.tributary.launcher.link.FrameSender;
import org.tributary.launcher.link.LauncherWatch;
import org.tributary.launcher.link.Question;
import org.tributary.launcher.step.Digest;
import org.tributary.wire.Deadline;
import org.tributary.wire.shm.LockedDirectory;
import org.tributary.wire.shm.NodeDirectory;

/**
 * The launcher's hand on one host: starts the server and ranks of a node there when told to, reports what becomes of
 * them, and passes on what is for, or from, agents that it has started on other hosts. When the launcher is gone, that
 * is when standard input ends, it ends everything.
 */
public final class Agent {
    private static final String LAUNCHER_GONE = "the launcher of the job has died, or its connection to the host";
    private static final String LAUNCHER_SILENT = "the host from which this one was started has not answered for %s s"
        + " (connection.silence-timeout)";
    private static final String NOT_ANSWERED = "it had not answered when the job was ended";
    private static final long LAST_OUTPUT_NS = TimeUnit.MILLISECONDS.toNanos(200);

    private final FrameSender sender;
    private final String release;
    private final BlockingQueue<Input> inputs = new LinkedBlockingQueue<>();
    private Command.Begin begin;
    private JobPlan plan;
    private LocalNodes nodes;
    private AgentLinks links;
    private AgentOutput output;
    private Answering answering;
    private Summing summing;
    /** Whether steps of a page are summed here. */
    private boolean isSumming;
    private AgentInput input;
    /** No process of the job is to be started any more. */
    private boolean closing;
    private boolean isEndTold;
    /** Ends of processes that wait for their last output, in the order in which they came. */
    private final Deque<End> ends = new ArrayDeque<>();
    /** Only output is awaited any more. */
    private volatile boolean isLastOutput;
    /** When what has not ended is killed, if nobody else says so. */
    private Deadline killing;

    private Agent(OutputStream out, String release) {
        this.sender = new FrameSender(out);
        this.release = release;
    }

    /** Inputs that the main thread takes from its queue. */
    private sealed interface Input {
        record News(Event event) implements Input {
        }

        record Order(Frame frame) implements Input {
        }

        record LinkGone(Fan.Range range, String host, String why) implements Input {
        }

        /** The output of a process that has ended is written. */
        record OutputEnded() implements Input {
        }

        /** For a reason that is no order. */
        record Finish(String reason) implements Input {
        }
    }

    /** Of a process; it is told when its output is written, or else after a while: a slow reader holds up no news. */
    private record End(Event.Ended event, CompletableFuture<Void> outputEnd, Deadline limit) {
        boolean isDue() {
            return outputEnd.isDone() || limit.isOver();
        }
    }

    /**
     * Obeys a launcher until its job has ended.
     *
     * @param out     to the launcher; closing it has to end a write that waits for room
     * @param release of this program, as {@code tributary --version} says it
     * @return the exit code
     */
    public static int run(InputStream in, OutputStream out, String release) throws IOException, InterruptedException {
        return new Agent(out, release).run(new DataInputStream(new BufferedInputStream(in)));
    }

    private int run(DataInputStream in) throws IOException, InterruptedException {
        DataOutputStream out = sender.stream();
        // Begins a line of its own, whatever a shell has printed before it.
        out.write(("\n" + AgentLink.GREETING + release + "\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
        Frame first = Frame.read(in);
        Command command = first == null ? null : Codec.command(first);
        while (command instanceof Command.Inquire) { // others ask the launcher at any time; there is no node to tell of
            first = Frame.read(in);
            command = first == null ? null : Codec.command(first);
        }
        if (command instanceof Command.Examine examine) {
            long silenceNs = Settings.builder().environment(examine.settings()).build().connectionSilenceTimeoutNs();
            Checkup checkup = new Checkup(examine, release, sender);
            LauncherWatch.endProcess(examine.connection(), silenceNs, sender, checkup::stop);
            checkup.run(in);
            return 0;
        }
        if (command instanceof Command.Collect collect) {
            LauncherWatch.endProcess(collect.connection(), collect.silenceNs(), sender, () -> { });
            new TraceSender(collect, first.node(), sender).run(in);
            return 0;
        }
        if (command instanceof Command.Look look) {
            new Onlooker(look, sender).run(in);
            return 0;
        }
        if (!(command instanceof Command.Begin told)) {
            return 0; // the job has ended before this host could take part, or something is wrong with it
        }
        LastResort.install("tributary agent");
        begin(told);
        Thread.ofPlatform().daemon().name("launcher").start(() -> listen(in));
        Signals.receive(signal -> {
            if (signal != ExitCodes.SIGUSR1) {
                inputs.add(new Input.Finish("its agent received signal " + signal));
                if (isLastOutput) {
                    nodes.dropOutput();
                }
            }
        });
        try {
            while (!(isEndTold && links.allGone())) {
                Input next = inputs.poll(longestWaitNs(), TimeUnit.NANOSECONDS);
                if (next != null) {
                    handle(next);
                }
                tellEnds();
                if (killing != null && killing.isOver()) {
                    nodes.kill();
                    links.destroy();
                    killing = Deadline.in(plan.settings().jobGraceNs());
                    nodes.noteTheDead();
                }
            }
        } finally {
            close();
        }
        return 0;
    }

    private long longestWaitNs() {
        long ns = killing == null ? Deadline.LOOK_NS : killing.leftNs();
        return ends.isEmpty() ? ns : Math.min(ns, ends.getFirst().limit.leftNs());
    }

    /** Of processes, and behind them that of the node. */
    private void tellEnds() {
        while (!ends.isEmpty() && ends.getFirst().isDue()) {
            report(nodes.explained(ends.removeFirst().event));
        }
        if (closing && !isEndTold && ends.isEmpty() && nodes.allEnded()) {
            isEndTold = true;
            report(new Event.NodeEnded(begin.firstNode()));
        }
    }

    private void begin(Command.Begin told) {
        begin = told;
        String own = Host.withoutUser(told.hosts().getFirst());
        ThisHost host = ThisHost.get();
        Settings settings = host.settings(told.settings(), told.peers());
        Topology topology = Topology.parse(told.layout());
        plan = new JobPlan(topology, settings, told.serverCommand(), told.rankCommand(), told.userVariables(),
            told.prefixed(), 0, false);
        NodeDirectory.sweep(settings.shmDirectory());
        JobFiles.sweep();
        output = new AgentOutput(told.firstNode(), sender::send);
        input = new AgentInput(taken -> sender.send(Codec.inputTaken(taken, told.firstNode())));
        NodeWitness witness = new NodeWitness(NodeDirectory.of(settings.shmDirectory(), told.jobId(),
            told.firstNode()), told.layout());
        answering = new Answering(witness::answer, answer -> {
            if (!isSumming || !summing.takesOwn(answer)) {
                sender.send(Codec.encode(answer, told.firstNode()));
            }
        });
        NodeShare share = new NodeShare(told.jobId(), told.secret(), told.firstNode(), 1, own, told.launcher(),
            Optional.of(new NodeShare.Surroundings(told.environment(), Path.of(told.directory()))),
            BindPolicy.valueOf(told.bind()));
        nodes = new LocalNodes(plan, share, event -> inputs.add(new Input.News(event)),
            topology.nodeOf(0) == told.firstNode() ? StandardInput.of(input) : StandardInput.none(),
            new LineSink(output.stream(Codec.OUT)), new LineSink(output.stream(Codec.ERR)));
        List<String> others = told.hosts().subList(1, told.hosts().size());
        links = new AgentLinks(told.of(others, told.firstNode() + 1), told.firstNode() + 1, release);
        summing = new Summing(told.jobId(), new JobSize(topology.nodeCount(), topology.rankCount()),
            new Fan.Range(told.firstNode(), told.hosts().size()), links::ranges, links::pass, sender::send);
        isSumming = Digest.isLarge(topology.nodeCount(), topology.rankCount()) && !others.isEmpty();
        links.start(new Passing(), new LineSink(output.stream(Codec.ERR)));
        long silenceNs = settings.connectionSilenceTimeoutNs();
        LauncherWatch.of(System.getenv(), told.environment(), silenceNs).ifPresent(watch ->
            watch.start(() -> sender.send(Codec.beat(told.firstNode())), () -> {
                sender.giveUp();
                output.close();
                inputs.add(new Input.Finish(LAUNCHER_SILENT.formatted(silenceNs / 1e9)));
            }));
        report(new Event.HostReady(told.firstNode(), host.name(), host.identity(),
            host.problems(told, settings)));
    }

    private void listen(DataInputStream in) {
        try {
            for (Frame frame = Frame.read(in); frame != null; frame = Frame.read(in)) {
                if (frame.node() == begin.firstNode() && Codec.command(frame) instanceof Command.OutputTaken taken) {
                    output.taken(taken.bytes()); // at once: what the main thread does may wait for output
                } else {
                    inputs.add(new Input.Order(frame));
                }
            }
        } catch (IOException e) {
            // As good as its end.
        }
        output.close();
        inputs.add(new Input.Finish(LAUNCHER_GONE));
    }

    private void handle(Input input) throws IOException {
        switch (input) {
            case Input.Order order -> obey(order.frame());
            case Input.News news -> tell(news.event());
            case Input.OutputEnded ended -> { } // ends are told behind every input
            case Input.LinkGone gone -> {
                Fan.Range lost = links.noteGone(gone.range(), closing);
                report(new Event.HostGone(lost.first(), lost.count(), gone.host(),
                    "from host " + begin.hosts().getFirst() + ": " + gone.why()));
            }
            case Input.Finish finish -> {
                end(ExitCodes.SIGTERM, finish.reason());
                links.send(new Command.End(ExitCodes.SIGTERM, finish.reason()));
                killing = Deadline.in(plan.settings().jobGraceNs());
            }
        }
    }

    private void obey(Frame frame) throws IOException {
        boolean isForThis = frame.node() == begin.firstNode() || frame.node() == Frame.ALL;
        if (isSumming && isForThis && Codec.command(frame) instanceof Command.Inquire inquire
            && inquire.question() == Question.SNAPSHOT) {
            summing.ask(inquire);
            answering.answer(inquire);
            return;
        }
        if (frame.node() != begin.firstNode()) {
            links.pass(frame);
        }
        if (!isForThis) {
            return;
        }
        switch (Codec.command(frame)) {
            case Command.StartServers start -> start(nodes::startServers);
            case Command.StartRanks start -> start(() -> nodes.startRanks(start.addresses()));
            case Command.Release release -> {
                closing = true;
                nodes.releaseServers();
            }
            case Command.End end -> end(end.signal(), end.reason());
            case Command.Kill kill -> {
                closing = true;
                nodes.kill();
            }
            case Command.OutputTaken taken -> output.taken(taken.bytes());
            case Command.Inquire inquire -> answering.answer(inquire);
            case Command.Input more -> input.add(more.bytes());
            case Command.Begin again -> throw new IOException("the launcher began twice");
            case Command.Examine examine -> throw new IOException("a diagnosis within a job");
            case Command.TellTime tell -> throw new IOException("a diagnosis within a job");
            case Command.Reach reach -> throw new IOException("a diagnosis within a job");
            case Command.Launch launch -> throw new IOException("a diagnosis within a job");
            case Command.Look look -> throw new IOException("a look at all jobs within one");
            case Command.Collect collect -> throw new IOException("the end of a job within it");
            case Command.Fetch fetch -> throw new IOException("the end of a job within it");
        }
    }

    private void start(Starting processes) {
        if (closing) {
            return;
        }
        try {
            processes.start();
        } catch (IOException e) {
            startFailed(e.getMessage());
        } catch (OutOfMemoryError e) {
            startFailed("cannot start the processes of the node: " + Shortage.describe(e));
        }
    }

    private void startFailed(String why) {
        report(new Event.StartFailed(why + " (host " + begin.hosts().getFirst() + ")"));
    }

    private void end(int signal, String reason) {
        closing = true;
        nodes.end(signal, reason);
        links.endUngreeted().forEach(range -> report(new Event.HostGone(range.first(), range.count(),
            begin.hosts().get(range.first() - begin.firstNode()), NOT_ANSWERED)));
    }

    private void tell(Event event) {
        if (event instanceof Event.ServerReady ready) {
            nodes.noteListening(ready.node());
        }
        if (event instanceof Event.Ended ended) {
            nodes.note(ended);
            CompletableFuture<Void> outputEnd = nodes.outputEnd(ended);
            ends.add(new End(ended, outputEnd, Deadline.in(LAST_OUTPUT_NS)));
            outputEnd.thenRun(() -> inputs.add(new Input.OutputEnded()));
        } else {
            report(event);
        }
    }

    private void report(Event event) {
        sender.send(Codec.encode(event, begin.firstNode()));
    }

    /** Processes that were killed could not remove their directories. */
    private void close() throws IOException, InterruptedException {
        isLastOutput = true;
        if (inputs.stream().anyMatch(Input.Finish.class::isInstance)) {
            nodes.dropOutput(); // a signal that came too late to be obeyed
        }
        links.destroy();
        if (nodes.close() == LastOutput.WRITTEN) {
            sender.send(Codec.outputEnded(begin.firstNode()));
        }
        Path shm = plan.settings().shmDirectory();
        LockedDirectory.remove(NodeDirectory.of(shm, begin.jobId(), begin.firstNode()).path());
        NodeDirectory.sweep(shm);
        JobFiles.sweep(); // those of a launcher that was killed on this host
    }

    /** Starts some of the node's processes. */
    private interface Starting {
        void start() throws IOException;
    }

    /** Frames of other agents go up as they are, but for those that are summed. */
    private final class Passing implements AgentLink.Listener {
        @Override
        public void frame(Fan.Range from, Frame frame) {
            if (frame.node() == from.first() && Codec.isHostReady(frame)) {
                summing.began(from);
            }
            if (!isSumming || !summing.takes(from, frame)) {
                sender.send(frame);
            }
        }

        @Override
        public void gone(Fan.Range range, String host, String why) {
            inputs.add(new Input.LinkGone(range, host, why));
        }
    }
}

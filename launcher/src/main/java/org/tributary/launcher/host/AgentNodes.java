package org.tributary.launcher.host;

import java.io.IOException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.tributary.config.JobVariables;
import org.tributary.config.Shortage;
import org.tributary.config.Topology;
import org.tributary.launcher.bind.BindPolicy;
import org.tributary.launcher.inquiry.HostsView;
import org.tributary.launcher.inquiry.Inquiries;
import org.tributary.launcher.inquiry.StatusSocket;
import org.tributary.launcher.job.Event;
import org.tributary.launcher.job.JobNodes;
import org.tributary.launcher.job.JobPlan;
import org.tributary.launcher.job.LastOutput;
import org.tributary.launcher.job.LineSink;
import org.tributary.launcher.job.NodeShare;
import org.tributary.launcher.job.OutputWait;
import org.tributary.launcher.job.StandardInput;
import org.tributary.launcher.job.UserLocale;
import org.tributary.launcher.link.AgentLink;
import org.tributary.launcher.link.AgentLinks;
import org.tributary.launcher.link.Codec;
import org.tributary.launcher.link.Command;
import org.tributary.launcher.link.Fan;
import org.tributary.launcher.link.Frame;
import org.tributary.launcher.link.LaunchCommand;
import org.tributary.launcher.link.Question;
import org.tributary.launcher.status.JobView;
import org.tributary.launcher.step.Digest;
import org.tributary.wire.Deadline;

/** Nodes of a job on hosts of their own, each with an agent. */
public final class AgentNodes implements JobNodes {
    /** So many hosts show the way to all. */
    static final int PEERS = 4;
    /** For hosts whose processes have ended; their agents, one behind another, end what these have left behind. */
    private static final long LAST_OUTPUT_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long LOOK_MS = 20;
    /** How long they are awaited silently. */
    private static final long SAID_NS = TimeUnit.SECONDS.toNanos(1);

    private final String jobId;
    private final Topology topology;
    private final List<String> hosts;
    private final Consumer<Event> events;
    private final LineSink out;
    private final LineSink err;
    private final JobSize size;
    private final long lastOutputNs;
    private final AgentLinks links;
    private final OutputQueue output;
    private final Inquiries inquiries;
    private final StandardInput input;
    private final HostInput inputWay;
    private StatusSocket statusSocket;
    private Optional<HostTraces> traces = Optional.empty();
    private boolean ending;
    /** All ranks have ended well: the loss of a host is not told, but that of its output is. */
    private boolean areRanksOver;
    /** Nodes of which nothing runs any more, or of which nothing can be heard. */
    private final BitSet ended = new BitSet();
    /** Of ranks that have ended. */
    private final Map<Integer, String> names = new HashMap<>();
    /** Those of which nothing more is to come. */
    private final Set<Integer> complete = ConcurrentHashMap.newKeySet();
    private final OutputWait outputWait = new OutputWait();
    private volatile boolean areHostsGivenUp;

    /**
     * Nodes that are still to be started.
     *
     * @param hosts   by node
     * @param release of this program, as {@code tributary --version} says it
     * @param input   what rank 0 reads
     */
    public AgentNodes(JobPlan plan, String jobId, List<String> hosts, LaunchCommand launch, BindPolicy bind,
        String release, Consumer<Event> events, StandardInput input, LineSink out, LineSink err) {
        this.jobId = jobId;
        this.topology = plan.topology();
        this.hosts = List.copyOf(hosts);
        this.events = events;
        this.input = input;
        this.out = out;
        this.err = err;
        this.size = new JobSize(plan.topology().nodeCount(), plan.topology().rankCount());
        this.lastOutputNs = Fan.levels(hosts.size()) * plan.settings().jobGraceNs() + LAST_OUTPUT_NS;
        List<String> peers = this.hosts.stream().limit(PEERS).map(Host::withoutUser).toList();
        Map<String, String> environment = new TreeMap<>(System.getenv());
        environment.keySet().removeIf(name -> name.startsWith(JobVariables.PREFIX));
        UserLocale.restore(environment);
        this.links = new AgentLinks(new Command.Begin(jobId, NodeShare.newSecret(), plan.topology().toString(),
            plan.settings().toEnvironment(), plan.serverCommand(), plan.rankCommand(), plan.userVariables(),
            plan.prefixed(), bind.name(), environment, System.getProperty("user.dir"), launch.words(), peers,
            "host " + ThisHost.get().name() + " (pid " + ProcessHandle.current().pid() + ")", this.hosts, 0), 0,
            release);
        this.inputWay = new HostInput(links::pass, plan.topology().nodeOf(0));
        this.inquiries = Inquiries.ofNodes(jobId, this.hosts, this::ask);
        this.output = new OutputQueue(out, err, (node, bytes) ->
            links.pass(Codec.encode(new Command.OutputTaken(bytes), node)));
    }

    private void ask(Command.Inquire inquire, int node) {
        boolean isForAllBehind = inquire.question() == Question.SNAPSHOT && Digest.isLarge(size.nodes(), size.ranks());
        if (!isForAllBehind || node == Frame.ALL || links.ranges().stream().anyMatch(behind ->
            behind.first() == node)) {
            links.pass(Codec.encode(inquire, node));
        }
    }

    /** Sets the collector of the ranks' traces, if there is one; to be called before the ranks start. */
    public AgentNodes recordedBy(Optional<HostTraces> collector) {
        traces = collector;
        return this;
    }

    @Override
    public String jobId() {
        return jobId;
    }

    @Override
    public List<String> hosts() {
        return hosts;
    }

    @Override
    public JobView view() {
        return new HostsView(jobId, inquiries);
    }

    @Override
    public void prepare() {
        output.start();
        links.start(new Decoder(), err);
        try {
            statusSocket = StatusSocket.open(jobId, inquiries);
        } catch (IOException e) {
            err.say("'tributary status' will not show this job here: " + Shortage.describe(e));
        }
    }

    @Override
    public void startServers() {
        links.send(new Command.StartServers());
    }

    @Override
    public void startRanks(List<String> addresses) {
        links.send(new Command.StartRanks(addresses));
        traces.ifPresent(collector -> collector.begin(inquiries));
        input.copyTo(inputWay, "rank 0");
    }

    @Override
    public void releaseServers() {
        areRanksOver = true;
        links.send(new Command.Release());
    }

    @Override
    public void end(int signal, String reason) {
        ending = true;
        keepInput();
        links.send(new Command.End(signal, reason));
        links.endUngreeted().forEach(range -> noteLost(range.first(), range.end()));
    }

    /** For the next job, if there is one. */
    private void keepInput() {
        input.keep();
        inputWay.stop();
    }

    @Override
    public void kill() {
        links.send(new Command.Kill());
    }

    @Override
    public String said(int node) {
        return links.said(node);
    }

    @Override
    public void noteListening(int node) {
        // Its agent knows.
    }

    /** Its agent ends when all its processes have. */
    @Override
    public void note(Event.Ended ended) {
        if (ended instanceof Event.RankEnded rank) {
            names.put(rank.rank(), rank.name());
        }
    }

    @Override
    public String name(int rank) {
        int node = topology.nodeOf(rank);
        return names.getOrDefault(rank, "rank " + rank + " (node " + node + ", host "
            + Host.withoutUser(hosts.get(node)) + ")");
    }

    @Override
    public Event.HostGone noteGone(Event.HostGone gone) {
        Fan.Range lost = links.noteGone(new Fan.Range(gone.node(), gone.count()), ending);
        noteLost(lost.first(), lost.end());
        return new Event.HostGone(lost.first(), lost.count(), gone.host(), gone.why());
    }

    private void noteLost(int first, int end) {
        ended.set(first, end);
        if (!areRanksOver) {
            IntStream.range(first, end).forEach(complete::add);
        }
    }

    @Override
    public void noteNodeEnded(int node) {
        ended.set(node);
    }

    @Override
    public boolean allEnded() {
        return ended.nextClearBit(0) >= hosts.size();
    }

    /** Hosts that do not answer are given up: an agent that lives ends its processes when it notices. */
    @Override
    public void noteTheDead() {
        if (!allEnded()) {
            err.say("no answer from " + alive() + "; processes of the job may still run there");
        }
        links.destroy();
        noteLost(0, hosts.size());
    }

    @Override
    public void leaveTheLiving() {
        // There are none.
    }

    @Override
    public String alive() {
        return links.alive(ended);
    }

    @Override
    public void awaitOutput(Event.Ended ended, long timeoutMs) throws InterruptedException {
        output.await(timeoutMs);
    }

    @Override
    public void awaitWords(Event.ServerEnded ended, long timeoutMs) {
        // An agent has sent them before the end.
    }

    @Override
    public Event.Ended explained(Event.Ended ended) {
        return ended;
    }

    @Override
    public void dropOutput() {
        outputWait.drop();
    }

    @Override
    public void limitOutput(long ns) {
        outputWait.limit(ns);
    }

    @Override
    public void giveUp() {
        areHostsGivenUp = true;
    }

    @Override
    public LastOutput close() throws IOException, InterruptedException {
        keepInput();
        try {
            if (!allEnded()) { // by an error of this process
                awaitHosts(false);
                return LastOutput.MISSING;
            }
            LastOutput last = awaitLastOutput();
            return last.unless(LineSink.tellLostOf(out, err));
        } finally {
            links.destroy();
            if (statusSocket != null) {
                statusSocket.close();
            }
        }
    }

    /**
     * However slow its reader is, as long as nobody drops it. Only hosts have a limit, while the reader waits for them:
     * for the rest of the output, and for their commands to end.
     */
    private LastOutput awaitLastOutput() throws InterruptedException {
        long seen = -1;
        Deadline silence = Deadline.in(lastOutputNs);
        while (!outputWait.isOver()) {
            boolean isOver = links.allOver(); // before the output is looked at, to which they add
            if (!output.isWritten() || output.added() != seen) {
                seen = output.added();
                silence = Deadline.in(lastOutputNs);
            } else if (isOver || silence.isOver()) {
                return isComplete() ? LastOutput.WRITTEN : LastOutput.MISSING;
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        }
        awaitHosts(!outputWait.isDropped());
        if (output.isWritten() && !links.allOver()) {
            return LastOutput.HOSTS_GIVEN_UP;
        }
        return output.isWritten() && missing().isEmpty() ? LastOutput.WRITTEN : LastOutput.DROPPED;
    }

    /**
     * Hosts end and remove what is left there, for which they have as long as at any other end of a job.
     *
     * @param isTimeOver whether no signal has dropped the output, so that the next one has only hosts to give up
     */
    private void awaitHosts(boolean isTimeOver) throws InterruptedException {
        links.close();
        Deadline limit = Deadline.in(lastOutputNs);
        Deadline silent = Deadline.in(SAID_NS);
        boolean isSaid = false;
        while (!links.allOver() && !areHostsGivenUp && !(isTimeOver && outputWait.isDropped()) && !limit.isOver()) {
            if (!isSaid && silent.isOver()) {
                String second = outputWait.isDropped() ? "; a second signal gives them up" : "";
                err.say("waiting for the agents on hosts to end" + (isTimeOver ? "; a signal gives them up" : second));
                isSaid = true;
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        }
    }

    private boolean isComplete() {
        List<String> missing = missing();
        if (!missing.isEmpty()) {
            err.say("output is missing: the end of that of host " + String.join(", ", missing) + " has not come");
        }
        return missing.isEmpty();
    }

    /** Hosts the end of whose output has not come. */
    private List<String> missing() {
        return IntStream.range(0, hosts.size()).filter(node -> !complete.contains(node)).mapToObj(hosts::get).toList();
    }

    /** Turns frames into events, on the threads of the connections. */
    private final class Decoder implements AgentLink.Listener {
        @Override
        public void frame(Fan.Range from, Frame frame) {
            try {
                size.checkNode(frame.node());
                if (Codec.isOutput(frame)) {
                    output.add(frame);
                } else if (Codec.isOutputEnded(frame)) {
                    complete.add(frame.node());
                } else if (Codec.isInputTaken(frame)) {
                    inputWay.taken(Codec.inputTaken(frame));
                } else if (Codec.isAnswer(frame)) {
                    inquiries.answered(frame.node(), Codec.answer(frame));
                } else if (Codec.isSummed(frame)) {
                    inquiries.answered(Codec.summed(frame).checked(from));
                } else {
                    Event event = size.event(frame);
                    if (event instanceof Event.HostReady) {
                        inquiries.began(frame.node());
                    }
                    events.accept(event);
                }
            } catch (IOException e) {
                err.say("a message of node " + frame.node() + " makes no sense: " + e.getMessage());
            }
        }

        @Override
        public void gone(Fan.Range range, String host, String why) {
            events.accept(new Event.HostGone(range.first(), range.count(), host, why));
        }
    }
}

package org.tributary.launcher.host;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.tributary.config.JobVariables;
import org.tributary.config.Shortage;
import org.tributary.launcher.bind.BindPolicy;
import org.tributary.launcher.inquiry.HostsView;
import org.tributary.launcher.inquiry.Inquiries;
import org.tributary.launcher.inquiry.StatusSocket;
import org.tributary.launcher.job.Event;
import org.tributary.launcher.job.JobNodes;
import org.tributary.launcher.job.JobPlan;
import org.tributary.launcher.job.LineSink;
import org.tributary.launcher.job.NodeShare;
import org.tributary.launcher.job.StandardInput;
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

/** Nodes of a job on hosts of their own, each with an agent. */
public final class AgentNodes implements JobNodes {
    /** So many hosts show the way to all. */
    static final int PEERS = 4;
    private static final long LAST_OUTPUT_MS = 1_000;

    private final String jobId;
    private final List<String> hosts;
    private final Consumer<Event> events;
    private final LineSink err;
    private final JobSize size;
    private final AgentLinks links;
    private final OutputQueue output;
    private final Inquiries inquiries;
    private final StandardInput input;
    private final HostInput inputWay;
    private StatusSocket statusSocket;
    private Optional<HostTraces> traces = Optional.empty();
    private boolean ending;

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
        this.hosts = List.copyOf(hosts);
        this.events = events;
        this.input = input;
        this.err = err;
        this.size = new JobSize(plan.topology().nodeCount(), plan.topology().rankCount());
        List<String> peers = this.hosts.stream().limit(PEERS).map(Hosts::withoutUser).toList();
        Map<String, String> environment = new TreeMap<>(System.getenv());
        environment.keySet().removeIf(name -> name.startsWith(JobVariables.PREFIX));
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
        links.send(new Command.Release());
    }

    @Override
    public void end(int signal, String reason) {
        ending = true;
        keepInput();
        links.send(new Command.End(signal, reason));
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
    public void noteListening(int node) {
        // Its agent knows.
    }

    @Override
    public void note(Event.Ended ended) {
        // Its agent ends when all its processes have.
    }

    @Override
    public Event.HostGone noteGone(Event.HostGone gone) {
        Fan.Range lost = links.noteGone(new Fan.Range(gone.node(), gone.count()), ending);
        return new Event.HostGone(lost.first(), lost.count(), gone.host(), gone.why());
    }

    @Override
    public boolean allEnded() {
        return links.allGone();
    }

    /** Hosts that do not answer are given up: an agent that lives ends its processes when it notices. */
    @Override
    public void noteTheDead() {
        if (!links.allGone()) {
            err.say("no answer from " + links.alive() + "; processes of the job may still run there");
        }
        links.giveUp();
    }

    @Override
    public String alive() {
        return links.alive();
    }

    @Override
    public void awaitOutput(Event.Ended ended, long timeoutMs) throws InterruptedException {
        output.await(timeoutMs);
    }

    @Override
    public Event.Ended explained(Event.Ended ended) {
        return ended;
    }

    @Override
    public void close() throws IOException, InterruptedException {
        keepInput();
        links.destroy();
        if (statusSocket != null) {
            statusSocket.close();
        }
        output.await(LAST_OUTPUT_MS);
    }

    /** Turns frames into events, on the threads of the connections. */
    private final class Decoder implements AgentLink.Listener {
        @Override
        public void frame(Fan.Range from, Frame frame) {
            try {
                size.checkNode(frame.node());
                if (Codec.isOutput(frame)) {
                    output.add(frame);
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

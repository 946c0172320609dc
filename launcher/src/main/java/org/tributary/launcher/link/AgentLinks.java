package org.tributary.launcher.link;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.tributary.launcher.job.JavaCommand;
import org.tributary.launcher.job.LineSink;
import org.tributary.launcher.job.UserLocale;

/**
 * The connections to the agents that one launcher or agent has started. Used by one thread, but that any may send once
 * they have been started.
 */
public final class AgentLinks {
    /** Filled while others look at it already. */
    private final List<AgentLink> links = new CopyOnWriteArrayList<>();
    private final Set<AgentLink> gone = new HashSet<>();
    private final Command.Begin begin;
    private final int firstNode;
    private final String release;
    private AgentLink.Listener listener;
    private LineSink err;
    /** Connections to be waited for no more, and since when. */
    private List<AgentLink> asked = List.of();
    private long askedNs;

    /**
     * Connections that are still to be made.
     *
     * @param begin     what the agents have in common; its hosts are theirs
     * @param firstNode that of the first of these hosts
     */
    public AgentLinks(Command.Begin begin, int firstNode, String release) {
        this.begin = begin;
        this.firstNode = firstNode;
        this.release = release;
    }

    public void start(AgentLink.Listener listener, LineSink err) {
        this.listener = listener;
        this.err = err;
        start(firstNode, begin.hosts().size());
    }

    private void start(int first, int count) {
        LaunchCommand launch = LaunchCommand.of(begin.launchCommand());
        List<String> agent = agentCommand();
        for (Fan.Range range : Fan.of(first, count)) {
            List<String> hosts = begin.hosts().subList(range.first() - firstNode, range.end() - firstNode);
            Frame told = Codec.encode(begin.of(hosts, range.first()), range.first());
            AgentLink link = new AgentLink(range, hosts.getFirst(), release, told, listener, err);
            links.add(link);
            link.start(launch, hosts.getFirst(), agent);
        }
    }

    /** The command that is run on another host, whose locale is its own affair. */
    public static List<String> agentCommand() {
        List<String> agent = new ArrayList<>(List.of("env", UserLocale.COMPLETE));
        agent.addAll(JavaCommand.agent());
        return agent;
    }

    /** The nodes behind each connection; may be called by any thread. */
    public List<Fan.Range> ranges() {
        return links.stream().map(AgentLink::range).toList();
    }

    /** To all agents, those that other agents have started included. */
    public void send(Command command) {
        Frame frame = Codec.encode(command, Frame.ALL);
        links.forEach(link -> link.send(frame));
    }

    /** Passes a frame on to the agents of its node, or to all. */
    public void pass(Frame frame) {
        links.stream().filter(link -> frame.node() == Frame.ALL || link.range().has(frame.node()))
            .forEach(link -> link.send(frame));
    }

    /**
     * To be called when the end of a connection has been taken notice of. An agent that was never heard of has not
     * started those behind it, or they have ended with it. Unless the job is {@code ending}, they are started from here
     * then, so that what is wrong with them is found too.
     *
     * @return the hosts that are gone
     */
    public Fan.Range noteGone(Fan.Range range, boolean ending) {
        List<AgentLink> ended = links.stream().filter(link -> link.range().equals(range)).toList();
        gone.addAll(ended);
        if (ending || range.count() == 1 || ended.isEmpty() || ended.getFirst().isHeard()) {
            return range;
        }
        start(range.first() + 1, range.count() - 1);
        return new Fan.Range(range.first(), 1);
    }

    /**
     * The job ends: connections through which no agent has answered yet end, too, and are no longer waited for. Nothing
     * runs behind them.
     *
     * @return the hosts that are gone by that
     */
    public List<Fan.Range> endUngreeted() {
        if (asked.isEmpty()) {
            asked = links.stream().filter(link -> !link.isGreeted() && !gone.contains(link)).toList();
            askedNs = System.nanoTime();
            asked.forEach(AgentLink::ask);
            gone.addAll(asked);
        }
        return asked.stream().map(AgentLink::range).toList();
    }

    public boolean allGone() {
        return gone.size() == links.size();
    }

    /** Whether nothing more comes from any agent. */
    public boolean allOver() {
        return links.stream().allMatch(link -> link.isOver() || !link.isGreeted());
    }

    /** What came last, instead of an agent, from the way to the host of a node; nothing for one behind others. */
    public String said(int node) {
        return links.stream().filter(link -> link.range().first() == node).map(AgentLink::said)
            .collect(Collectors.joining("; "));
    }

    /** The hosts of connections to nodes that are not among {@code ended}. */
    public String alive(BitSet ended) {
        return links.stream().filter(link -> ended.nextClearBit(link.range().first()) < link.range().end())
            .map(link -> "host " + begin.hosts().get(link.range().first() - firstNode)
                + (link.range().count() == 1 ? "" : " and " + (link.range().count() - 1) + " behind it"))
            .collect(Collectors.joining(", "));
    }

    /** Ends what agents read, behind what has been sent: they end and remove what is left on their hosts. */
    public void close() {
        links.forEach(AgentLink::close);
    }

    /** Ends the commands on this machine. */
    public void destroy() {
        close();
        AgentLink.awaitAsked(asked, askedNs);
        links.forEach(AgentLink::destroy);
    }
}

package org.tributary.launcher.host;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tributary.launcher.doctor.Finding;
import org.tributary.launcher.job.LineSink;
import org.tributary.launcher.link.AgentLink;
import org.tributary.launcher.link.AgentLinks;
import org.tributary.launcher.link.Codec;
import org.tributary.launcher.link.Command;
import org.tributary.launcher.link.Fan;
import org.tributary.launcher.link.Frame;
import org.tributary.launcher.link.LaunchCommand;
import org.tributary.launcher.node.NameLookup;

/** One host of a diagnosis. Used by one thread at a time, but for the connection's. */
final class Patient implements AgentLink.Listener {
    private static final long MOST_CLOCK_DIFFERENCE_MS = 1_000;
    private static final String HOST = "host";

    private final int number;
    private final String host;
    private final BlockingQueue<Reply> replies = new LinkedBlockingQueue<>();
    private final List<Finding> findings = new ArrayList<>();
    private AgentLink link;
    private boolean isLost;
    private String name = "";
    /** Where it listens, or empty. */
    private String address = "";

    Patient(int number, String host) {
        this.number = number;
        this.host = host;
    }

    /** An answer of the agent, or the reason why there are no more: {@code why} is empty for an answer. */
    private record Reply(List<String> texts, String why) {
    }

    int number() {
        return number;
    }

    String host() {
        return host;
    }

    /** The host's name as it has it itself; empty when that is not known. */
    String name() {
        return name;
    }

    /** Whether its agent is of no use any more. */
    boolean isLost() {
        return isLost;
    }

    boolean listens() {
        return !address.isEmpty();
    }

    List<Finding> findings() {
        return List.copyOf(findings);
    }

    void add(Finding finding) {
        findings.add(finding);
    }

    @Override
    public void frame(Fan.Range from, Frame frame) {
        try {
            replies.add(new Reply(Codec.texts(frame), ""));
        } catch (IOException e) {
            replies.add(new Reply(List.of(), "its agent makes no sense: " + e.getMessage()));
        }
    }

    @Override
    public void gone(Fan.Range range, String which, String why) {
        replies.add(new Reply(List.of(), why));
    }

    /** Starts the agent and takes its findings. */
    void examine(LaunchCommand launch, Command.Examine examine, String release, long limitNs, LineSink err) {
        link = new AgentLink(new Fan.Range(number, 1), host, release, Codec.encode(examine, number), this, err);
        link.start(launch, host, AgentLinks.agentCommand());
        List<String> texts = await(limitNs, 2);
        if (texts.isEmpty()) {
            return;
        }
        name = texts.get(0);
        address = texts.get(1);
        for (int i = 2; i + Checkup.TEXTS_OF_FINDING <= texts.size(); i += Checkup.TEXTS_OF_FINDING) {
            add(new Finding(Finding.Level.valueOf(texts.get(i)), texts.get(i + 1), texts.get(i + 2),
                texts.get(i + 3), texts.get(i + 4)));
        }
    }

    /** With this machine's. */
    void compareClocks(long limitNs) {
        long startNs = System.nanoTime();
        long startMs = System.currentTimeMillis();
        List<String> texts = ask(new Command.TellTime(), limitNs, 1);
        if (texts.isEmpty()) {
            return;
        }
        long halfMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs) / 2;
        add(clock(Long.parseLong(texts.getFirst()) - startMs - halfMs, halfMs));
    }

    /** Of a clock that is {@code aheadMs} ahead of this machine's, give or take {@code uncertainMs}. */
    static Finding clock(long aheadMs, long uncertainMs) {
        String limit = "within " + MOST_CLOCK_DIFFERENCE_MS / 1e3 + " s of this machine's";
        return Math.abs(aheadMs) - uncertainMs <= MOST_CLOCK_DIFFERENCE_MS
            ? Finding.ok("clock of the host", "agrees", limit)
            : Finding.warning("clock of the host",
                Math.abs(aheadMs) / 1e3 + " s " + (aheadMs > 0 ? "ahead" : "behind"), limit,
                "synchronize the clocks (chrony, ntpd); until then times in logs do not match");
    }

    /** By name, and at the ports where they listen. */
    void reach(List<Patient> others, long limitNs) {
        List<String> texts = ask(new Command.Reach(others.stream()
            .map(other -> Host.withoutUser(other.host) + Checkup.SEPARATOR + other.address).toList()), limitNs,
            2 * others.size());
        if (isLost || others.isEmpty()) {
            return;
        }
        boolean isWell = true;
        List<String> unanswered = new ArrayList<>();
        for (int i = 0; i < others.size(); i++) {
            Patient other = others.get(i);
            if (texts.get(2 * i).equals(NameLookup.NO_ANSWER)) {
                unanswered.add(other.host);
            } else if (!texts.get(2 * i).isEmpty()) {
                add(Finding.warning("name of " + other.host, texts.get(2 * i), "an address", "a line in /etc/hosts, or"
                    + " DNS; jobs of 32 hosts or more start some hosts from others"));
            }
            if (!texts.get(2 * i + 1).isEmpty()) {
                isWell = false;
                add(Finding.error("way to " + other.host, other.address.replace(Checkup.SEPARATOR, ":") + ": "
                    + texts.get(2 * i + 1), "a connection", "open the firewall between the hosts for TCP, or choose"
                    + " another network with server.interface; server.port fixes the ports"));
            }
        }
        if (!unanswered.isEmpty()) {
            findings.removeIf(Finding::isOfUnansweredNames); // of its own name
            add(Finding.namesUnanswered(NameLookup.NO_ANSWER + ", for " + String.join(", ", unanswered)));
        }
        if (isWell) {
            add(Finding.ok("way to other hosts", others.size() == 1 ? "1 reached" : others.size() + " reached", ""));
        }
    }

    /** Whether its agent starts those of other hosts, as in a large job; {@code others} have been reached from here. */
    void launch(LaunchCommand launch, List<Patient> others, long limitNs, long answerNs) {
        if (others.isEmpty()) {
            return;
        }
        List<String> problems = ask(new Command.Launch(launch.words(), others.stream().map(Patient::host).toList(),
            limitNs), limitNs + answerNs, others.size());
        if (isLost) {
            return;
        }
        for (int i = 0; i < others.size(); i++) {
            if (!problems.get(i).isEmpty()) {
                String other = others.get(i).host;
                add(Finding.error("agent on " + other, problems.get(i), "an agent answers", "'ssh " + other
                    + "' on this host, or the command of --launch-agent, must run a command there without a question:"
                    + " jobs of 32 hosts or more start some agents from others"));
            }
        }
        if (problems.stream().allMatch(String::isEmpty)) {
            add(Finding.ok("agents on other hosts", others.size() + " started", ""));
        }
    }

    private List<String> ask(Command command, long limitNs, int atLeast) {
        if (isLost) {
            return List.of();
        }
        link.send(Codec.encode(command, number));
        return await(limitNs, atLeast);
    }

    /** The next answer; none, and a finding, when there is none of that length in time. */
    private List<String> await(long limitNs, int atLeast) {
        String why;
        try {
            Reply reply = replies.poll(limitNs, TimeUnit.NANOSECONDS);
            if (reply != null && reply.why.isEmpty() && reply.texts.size() >= atLeast) {
                return reply.texts;
            }
            why = reply == null ? "no answer within " + TimeUnit.NANOSECONDS.toMillis(limitNs) / 1e3 + " s"
                : reply.why.isEmpty() ? "its agent tells too little: " + reply.texts.stream()
                .collect(Collectors.joining(", ")) : reply.why;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            why = "interrupted";
        }
        isLost = true;
        address = "";
        add(Finding.error(HOST, why, "an agent answers", "'ssh " + host + "', or the command of --launch-agent, must"
            + " run a command there without a question"));
        return List.of();
    }

    /** The connection to its agent, if there is one. */
    Stream<AgentLink> link() {
        return Stream.ofNullable(link);
    }
}

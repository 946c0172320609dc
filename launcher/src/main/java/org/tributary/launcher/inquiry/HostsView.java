package org.tributary.launcher.inquiry;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.tributary.launcher.link.Inquiry;
import org.tributary.launcher.link.Question;
import org.tributary.launcher.link.StackText;
import org.tributary.launcher.status.JobReading;
import org.tributary.launcher.status.JobStep;
import org.tributary.launcher.status.JobView;
import org.tributary.launcher.step.Asked;
import org.tributary.launcher.step.Digest;
import org.tributary.launcher.step.DigestBytes;
import org.tributary.wire.status.JobStatus;
import org.tributary.wire.status.NodeDetails;
import org.tributary.wire.status.NodeSnapshot;
import org.tributary.wire.status.NodeStatus;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.NodeText;

/** A job on several hosts, as its agents tell of it. */
public final class HostsView implements JobView {
    /** For what agents read in their nodes' files. */
    private static final long ANSWER_NS = TimeUnit.SECONDS.toNanos(4);
    /** For what a page shows: a host that is late misses a step. */
    private static final long SNAPSHOT_NS = TimeUnit.SECONDS.toNanos(1);
    /** For the way there and back. */
    private static final long TRAVEL_NS = TimeUnit.SECONDS.toNanos(2);

    private final String jobId;
    private final Inquiry.Asking agents;

    public HostsView(String jobId, Inquiry.Asking agents) {
        this.jobId = jobId;
        this.agents = agents;
    }

    @Override
    public JobReading read() throws IOException, InterruptedException {
        List<String> problems = new ArrayList<>();
        Map<Integer, NodeStatus> nodes = ask(new Inquiry(Question.STATUS, "", List.of(), ANSWER_NS), this::node,
            problems);
        NodeDetails.Questions questions = JobStatus.questions(nodes.values());
        String text = NodeText.of(questions);
        Collection<NodeDetails> details = List.of();
        if (!text.isEmpty()) {
            details = ask(new Inquiry(Question.DETAILS, text, List.copyOf(nodes.keySet()), ANSWER_NS),
                (node, told) -> NodeText.details(told), problems).values();
        }
        return new JobReading(jobId, new JobStatus(nodes.values(), details), problems);
    }

    private NodeStatus node(int node, String text) {
        return checked(node, NodeText.node(text));
    }

    /** An agent tells of its own node only. */
    private NodeStatus checked(int node, NodeStatus status) {
        if (status.node() != node || !status.job().equals(jobId)) {
            throw new IllegalArgumentException("tells of node " + status.node() + " of job " + status.job());
        }
        return status;
    }

    @Override
    public JobStep step(Asked asked) throws IOException, InterruptedException {
        List<String> problems = new ArrayList<>();
        List<Digest> digests = new ArrayList<>();
        Map<Integer, NodeSnapshot> nodes = ask(new Inquiry(Question.SNAPSHOT, asked.text(), List.of(), SNAPSHOT_NS),
            (node, text) -> {
                byte[] bytes = Base64.getDecoder().decode(text);
                if (!DigestBytes.areDigest(bytes)) {
                    return snapshot(node, bytes);
                }
                digests.add(digest(node, DigestBytes.decode(bytes)));
                return null;
            }, problems);
        nodes.values().removeIf(Objects::isNull);
        return new JobStep(List.copyOf(nodes.values()), digests, problems);
    }

    private NodeSnapshot snapshot(int node, byte... bytes) {
        NodeSnapshot snapshot = NodeSnapshot.decode(bytes);
        checked(node, snapshot.status());
        return snapshot;
    }

    /** Of that node and others behind it. */
    private Digest digest(int node, Digest digest) {
        if (!digest.job().equals(jobId) || !digest.isOf(node, Integer.MAX_VALUE)) {
            throw new IllegalArgumentException("tells of others than nodes from " + node + " on of job "
                + digest.job());
        }
        return digest;
    }

    @Override
    public Map<Integer, List<String>> stacks(JobStatus job, Collection<Rank> ranks, long limitNs)
        throws IOException, InterruptedException {
        List<Integer> wanted = ranks.stream().map(Rank::rank).toList();
        List<Integer> nodes = wanted.stream().map(job::nodeOf).filter(Objects::nonNull).map(NodeStatus::node)
            .distinct().toList();
        Map<Integer, List<String>> stacks = new HashMap<>();
        if (!nodes.isEmpty()) {
            ask(new Inquiry(Question.STACKS, StackText.of(limitNs, wanted), nodes, limitNs + TRAVEL_NS),
                (node, text) -> StackText.stacks(text), new ArrayList<>()).values().forEach(stacks::putAll);
        }
        return stacks;
    }

    private interface Parser<T> {
        T parse(int node, String text);
    }

    /** Decodes each answer when it comes, so that only one is there as text; one that makes no sense is a problem. */
    private <T> Map<Integer, T> ask(Inquiry inquiry, Parser<T> parser, List<String> problems)
        throws IOException, InterruptedException {
        Map<Integer, T> answers = new TreeMap<>();
        problems.addAll(agents.ask(inquiry, (node, text) -> {
            try {
                answers.put(node, parser.parse(node, text));
            } catch (RuntimeException e) { // whatever it holds, the others are shown
                problems.add("node " + node + ": its answer makes no sense: " + e.getMessage());
            }
        }));
        return answers;
    }
}

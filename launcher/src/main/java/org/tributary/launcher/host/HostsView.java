package org.tributary.launcher.host;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.tributary.launcher.status.JobReading;
import org.tributary.launcher.status.JobView;
import org.tributary.wire.status.JobStatus;
import org.tributary.wire.status.NodeDetails;
import org.tributary.wire.status.NodeSnapshot;
import org.tributary.wire.status.NodeStatus;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.NodeText;

/** A job on several hosts, as its agents tell of it. */
final class HostsView implements JobView {
    /** For what agents read in their nodes' files. */
    private static final long ANSWER_NS = TimeUnit.SECONDS.toNanos(4);
    /** For what a page shows: a host that is late misses a step. */
    private static final long SNAPSHOT_NS = TimeUnit.SECONDS.toNanos(1);
    /** For the way there and back. */
    private static final long TRAVEL_NS = TimeUnit.SECONDS.toNanos(2);

    private final String jobId;
    private final Inquiry.Asking agents;

    HostsView(String jobId, Inquiry.Asking agents) {
        this.jobId = jobId;
        this.agents = agents;
    }

    @Override
    public JobReading read() throws IOException, InterruptedException {
        Inquiry.Answers status = agents.ask(new Inquiry(Question.STATUS, "", List.of(), ANSWER_NS));
        List<String> problems = new ArrayList<>(status.problems());
        Map<Integer, NodeStatus> nodes = parsed(status, NodeText::node);
        NodeDetails.Questions questions = JobStatus.questions(nodes.values());
        String text = NodeText.of(questions);
        Collection<NodeDetails> details = List.of();
        if (!text.isEmpty()) {
            Inquiry.Answers told = agents.ask(new Inquiry(Question.DETAILS, text, List.copyOf(nodes.keySet()),
                ANSWER_NS));
            details = parsed(told, NodeText::details).values();
            problems.addAll(told.problems());
        }
        return new JobReading(jobId, new JobStatus(nodes.values(), details), problems);
    }

    @Override
    public List<NodeSnapshot> snapshots(NodeDetails.Questions questions) throws IOException, InterruptedException {
        Inquiry.Answers told = agents.ask(new Inquiry(Question.SNAPSHOT, NodeText.of(questions), List.of(),
            SNAPSHOT_NS));
        return List.copyOf(parsed(told, text -> NodeSnapshot.decode(Base64.getDecoder().decode(text))).values());
    }

    @Override
    public Map<Integer, List<String>> stacks(JobStatus job, Collection<Rank> ranks, long limitNs)
        throws IOException, InterruptedException {
        List<Integer> wanted = ranks.stream().map(Rank::rank).toList();
        List<Integer> nodes = wanted.stream().map(job::nodeOf).filter(Objects::nonNull).map(NodeStatus::node)
            .distinct().toList();
        Map<Integer, List<String>> stacks = new HashMap<>();
        if (!nodes.isEmpty()) {
            parsed(agents.ask(new Inquiry(Question.STACKS, StackText.of(limitNs, wanted), nodes, limitNs + TRAVEL_NS)),
                StackText::stacks).values().forEach(stacks::putAll);
        }
        return stacks;
    }

    private interface Parser<T> {
        T parse(String text);
    }

    private static <T> Map<Integer, T> parsed(Inquiry.Answers answers, Parser<T> parser) throws IOException {
        try {
            return answers.texts().entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, entry -> parser.parse(entry.getValue())));
        } catch (IllegalArgumentException e) {
            throw new IOException("the answer of an agent makes no sense: " + e.getMessage(), e);
        }
    }
}

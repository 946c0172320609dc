package org.tributary.launcher.inquiry;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.tributary.launcher.link.Answer;
import org.tributary.launcher.link.Command;
import org.tributary.launcher.link.StackText;
import org.tributary.launcher.status.BusiestPairs;
import org.tributary.launcher.status.Stacks;
import org.tributary.launcher.step.Asked;
import org.tributary.launcher.step.DigestBytes;
import org.tributary.launcher.step.NodeSteps;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.status.NodeReader;
import org.tributary.wire.status.NodeSnapshot;
import org.tributary.wire.status.NodeText;

/** Answers what an agent is asked of its node, from the node's files; the node does not notice. Thread-safe. */
public final class NodeWitness {
    /** Longest answer of a node, in bytes. */
    private static final int MOST_BYTES = 4 << 20;
    /** Pages whose last steps are remembered. */
    private static final int MOST_PAGES = 8;

    private final NodeReader node;
    private final BusiestPairs busiest = new BusiestPairs();
    private final String layout;
    /** By page; the one that has asked least lately goes first. */
    private final Map<String, NodeSteps> steps = new LinkedHashMap<>(MOST_PAGES, 1, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, NodeSteps> eldest) {
            return size() > MOST_PAGES;
        }
    };

    /** {@code layout} is that of the job, or empty: then the node says. */
    public NodeWitness(NodeDirectory directory, String layout) {
        this.node = new NodeReader(directory);
        this.layout = layout;
    }

    public Answer answer(Command.Inquire inquire) {
        try {
            String text = switch (inquire.question()) {
                case JOBS -> throw new IllegalArgumentException("is the agent of one job");
                case STATUS -> NodeText.of(node.read());
                case DETAILS -> NodeText.of(node.read(NodeText.questions(inquire.text())));
                case SNAPSHOT -> Base64.getEncoder().encodeToString(step(Asked.of(inquire.text())));
                case STACKS -> stacks(StackText.wanted(inquire.text()));
                case CLOCK -> ClockProbe.answer();
            };
            int bytes = text.getBytes(StandardCharsets.UTF_8).length;
            return bytes <= MOST_BYTES ? new Answer(inquire.number(), true, text)
                : unknown(inquire, "has more to tell than fits a message: " + bytes + " of " + MOST_BYTES + " bytes");
        } catch (NoSuchFileException e) {
            return unknown(inquire, "its server is being started, or has ended");
        } catch (IOException | IllegalArgumentException e) {
            return unknown(inquire, e.getMessage());
        }
    }

    /** Of a large job the part of a sum. */
    private byte[] step(Asked asked) throws IOException {
        NodeSnapshot snapshot = node.snapshot(asked.objects());
        synchronized (steps) {
            return steps.computeIfAbsent(asked.page(), page -> new NodeSteps())
                .sum(snapshot, layout.isEmpty() ? snapshot.status().layout() : layout, asked)
                .map(DigestBytes::encode).orElseGet(() -> busiest.of(snapshot).encode());
        }
    }

    static Answer unknown(Command.Inquire inquire, String why) {
        return new Answer(inquire.number(), false, why);
    }

    private String stacks(StackText.Wanted wanted) throws IOException {
        return StackText.of(Stacks.of(node.read().ranks().stream()
            .filter(rank -> wanted.ranks().contains(rank.rank())).toList(), wanted.limitNs()));
    }
}

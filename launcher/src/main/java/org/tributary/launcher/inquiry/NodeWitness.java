package org.tributary.launcher.inquiry;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.Base64;
import org.tributary.launcher.link.Answer;
import org.tributary.launcher.link.Command;
import org.tributary.launcher.link.StackText;
import org.tributary.launcher.status.BusiestPairs;
import org.tributary.launcher.status.Stacks;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.status.NodeReader;
import org.tributary.wire.status.NodeText;

/** Answers what an agent is asked of its node, from the node's files; the node does not notice. Thread-safe. */
public final class NodeWitness {
    /** What one host may tell at once. */
    private static final int MOST_BYTES = 4 << 20;

    private final NodeReader node;
    private final BusiestPairs busiest = new BusiestPairs();

    public NodeWitness(NodeDirectory directory) {
        this.node = new NodeReader(directory);
    }

    public Answer answer(Command.Inquire inquire) {
        try {
            String text = switch (inquire.question()) {
                case JOBS -> throw new IllegalArgumentException("is the agent of one job");
                case STATUS -> NodeText.of(node.read());
                case DETAILS -> NodeText.of(node.read(NodeText.questions(inquire.text())));
                case SNAPSHOT -> Base64.getEncoder()
                    .encodeToString(busiest.of(node.snapshot(NodeText.questions(inquire.text()))).encode());
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

    static Answer unknown(Command.Inquire inquire, String why) {
        return new Answer(inquire.number(), false, why);
    }

    private String stacks(StackText.Wanted wanted) throws IOException {
        return StackText.of(Stacks.of(node.read().ranks().stream()
            .filter(rank -> wanted.ranks().contains(rank.rank())).toList(), wanted.limitNs()));
    }
}

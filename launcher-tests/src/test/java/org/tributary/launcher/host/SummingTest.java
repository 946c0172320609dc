package org.tributary.launcher.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tributary.launcher.inquiry.HostsView;
import org.tributary.launcher.inquiry.Inquiries;
import org.tributary.launcher.link.Answer;
import org.tributary.launcher.link.Codec;
import org.tributary.launcher.link.Command;
import org.tributary.launcher.link.Fan;
import org.tributary.launcher.link.Frame;
import org.tributary.launcher.link.Summed;
import org.tributary.launcher.status.JobStep;
import org.tributary.launcher.step.Asked;
import org.tributary.launcher.step.Digest;
import org.tributary.launcher.step.DigestBytes;
import org.tributary.launcher.step.Grid;
import org.tributary.launcher.step.NodeRates.Rate;
import org.tributary.launcher.step.NodeSteps;
import org.tributary.launcher.step.RankDoes;
import org.tributary.launcher.step.StubNodes;
import org.tributary.launcher.step.View;
import org.tributary.launcher.step.View.Range;
import org.tributary.wire.status.NodeDetails.Questions;
import org.tributary.wire.status.NodeSnapshot;
import org.tributary.wire.status.ServerGauge;

/** Agents of a tree in this process, each of which tells of a stub node. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SummingTest {
    private static final int RANKS = 8;
    private static final int PEERS = 20;
    /** For all nodes of a job of a thousand: a tenth of what they tell one by one. */
    private static final long MOST_BYTES = 300_000;
    private static final View ZOOMED = new View(false, new Range(100, 130), new Range(101, 125));
    private static final View RANKS_OF_NODES = new View(true, new Range(800, 808), new Range(808, 824));
    private static final Asked ASKED = new Asked("page", new Questions(Set.of(), Set.of(), Set.of()), Set.of(),
        Map.of(), Set.of(View.ALL, ZOOMED, RANKS_OF_NODES));

    /** The agents of the nodes of a job, as far as pages go; frames go by calls. */
    private static final class Tree {
        private final StubNodes nodes;
        private final JobSize size;
        private final Map<Integer, Fan.Range> links = new HashMap<>();
        private final Map<Integer, Summing> inner = new HashMap<>();
        /** Where each agent answers. */
        private final Map<Integer, Consumer<Frame>> own = new HashMap<>();
        private final Map<Integer, NodeSteps> steps = new HashMap<>();
        /** What agents say instead of what they would, by node. */
        private final Map<Integer, UnaryOperator<Frame>> liars = new HashMap<>();
        private final Inquiries inquiries;
        private long second;
        /** That the launcher has received in this step. */
        private long bytes;

        Tree(int count) {
            nodes = new StubNodes(count, RANKS, PEERS);
            size = new JobSize(count, count * RANKS);
            List<Fan.Range> roots = Fan.of(0, count);
            roots.forEach(root -> grow(root, frame -> {
                bytes += frame.body().length;
                fromRoot(root, frame);
            }));
            inquiries = Inquiries.ofNodes("stub", Collections.nCopies(count, "host"), (inquire, node) ->
                roots.stream().filter(root -> node == Frame.ALL || node == root.first())
                    .forEach(root -> ask(Codec.encode(inquire, root.first()))));
        }

        private void fromRoot(Fan.Range root, Frame frame) {
            try {
                inquiries.answered(Codec.isSummed(frame) ? Codec.summed(frame).checked(root)
                    : Summed.of(Codec.answer(frame), frame.node()).checked(root));
            } catch (IOException e) {
                return; // as the launcher drops it
            }
        }

        private void grow(Fan.Range range, Consumer<Frame> up) {
            Consumer<Frame> upstream = frame -> {
                Frame said = liars.getOrDefault(range.first(), same -> same).apply(frame);
                if (said != null) {
                    up.accept(said);
                }
            };
            links.put(range.first(), range);
            List<Fan.Range> behind = Fan.of(range.first() + 1, range.count() - 1);
            Summing summing = new Summing("stub", size, range, () -> behind, this::ask, upstream);
            inner.put(range.first(), summing);
            own.put(range.first(), upstream);
            behind.forEach(child -> grow(child, frame -> assertTrue(summing.takes(child, frame), "it is a part")));
        }

        private void ask(Frame frame) {
            try {
                Command.Inquire inquire = (Command.Inquire) Codec.command(frame);
                int node = frame.node();
                if (links.get(node).count() > 1) {
                    inner.get(node).ask(inquire);
                    inner.get(node).takesOwn(answer(inquire, node));
                } else {
                    own.get(node).accept(Codec.encode(answer(inquire, node), node));
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        private Answer answer(Command.Inquire inquire, int node) {
            NodeSnapshot snapshot = nodes.node(node, second);
            return new Answer(inquire.number(), true, text(steps.computeIfAbsent(node, unseen -> new NodeSteps())
                .sum(snapshot, snapshot.status().layout(), Asked.of(inquire.text())).orElseThrow()));
        }

        JobStep step(Asked asked) throws Exception {
            second++;
            bytes = 0;
            return new HostsView("stub", inquiries).step(asked);
        }

        /** The same without a tree. */
        Digest plain() {
            NodeSteps whole = new NodeSteps();
            whole.next("stub", nodes.after(second - 1));
            return whole.next("stub", nodes.after(second));
        }
    }

    private static List<Long> rounded(Map<Integer, Rate> rates) {
        return rates.entrySet().stream().flatMap(entry -> List.of((long) entry.getKey(),
            Math.round(entry.getValue().requests()), Math.round(entry.getValue().bytes())).stream()).toList();
    }

    @Test
    void shouldTellTheSameAsAllNodesInFewBytesWhenThereAreAThousand() throws Exception {
        Tree tree = new Tree(1000);
        tree.step(ASKED);
        JobStep step = tree.step(ASKED);
        assertTrue(tree.bytes <= MOST_BYTES, tree.bytes + " bytes a step");
        assertEquals(List.of(), step.problems());
        assertEquals(Fan.of(0, 1000).size(), step.digests().size());
        Digest sum = Digest.of("stub", step.digests());
        sum.reduce(ASKED, 64);
        Digest plain = tree.plain();
        assertEquals(1000, sum.sums().nodes());
        assertEquals(1000 * RANKS * PEERS * StubNodes.ASKED_EACH, Math.round(sum.sums().total().requests()));
        assertEquals(Math.round(plain.sums().total().bytes()), Math.round(sum.sums().total().bytes()));
        assertArrayEquals(plain.sums().latencies(), sum.sums().latencies());
        assertEquals(1000, sum.sums().longWaits());
        assertEquals(plain.sums().ageNs(), sum.sums().ageNs());
        for (RankDoes what : RankDoes.values()) {
            assertEquals(plain.sums().ranks(what), sum.sums().ranks(what), what.word());
        }
        for (ServerGauge gauge : ServerGauge.values()) {
            assertEquals(plain.sums().gauge(gauge), sum.sums().gauge(gauge), gauge.metric());
        }
        for (View view : ASKED.views()) {
            Grid grid = new Grid(plain.order(), view);
            List<Long> cells = rounded(plain.cells(view, grid));
            assertTrue(cells.size() > 3 * 3, "cells of " + view);
            assertEquals(cells, rounded(sum.cells(view, grid)), view.toString());
        }
        assertEquals(10, sum.hottest(100).size());
        assertEquals(PEERS * StubNodes.ASKED_EACH, sum.hottest(1).values().iterator().next().requests(), 0.1);
        assertEquals(64, sum.lines().size());
        assertTrue(Digest.longest(sum.nodes(), 1000).size() >= 64, "as many as are shown");
    }

    @Test
    void shouldTellWhatEachRankDoesWhenTheyAreFew() throws Exception {
        Tree tree = new Tree(100);
        Digest sum = Digest.of("stub", tree.step(ASKED).digests());
        assertEquals(tree.plain().states(), sum.states());
        assertEquals(100 * RANKS, sum.states().size());
    }

    @Test
    void shouldTellTheOthersWhenSomeAgentsAreSilentOrLie() throws Exception {
        Tree tree = new Tree(1000);
        List<Fan.Range> roots = Fan.of(0, 1000);
        int parent = roots.get(3).first();
        NodeSnapshot stranger = new StubNodes(1000, RANKS, 1).node(999, 1);
        tree.liars.put(parent + 1, frame -> null);
        tree.liars.put(parent + 2, frame -> saying(frame, "?"));
        tree.liars.put(parent + 3, frame -> saying(frame, text(new NodeSteps().sum(stranger, "1000*8", ASKED)
            .orElseThrow())));
        tree.liars.put(parent + 4, frame -> summed(new Summed(number(frame), roots.get(3), Optional.empty(), Map.of(),
            0)));
        tree.liars.put(parent + 7, frame -> saying(frame, "x".repeat(2 * DigestBytes.MOST_BYTES)));
        tree.liars.put(parent + 8, frame -> summed(new Summed(number(frame), new Fan.Range(parent + 8, 1),
            Optional.empty(), Map.of(parent + 8, "y".repeat(100_000)), 0)));
        tree.liars.put(parent + 5, frame -> new Frame(frame.kind(), parent + 6, frame.body()));
        tree.liars.put(roots.get(5).first(), frame -> summed(new Summed(number(frame), roots.get(6), Optional.empty(),
            Map.of(), 0)));
        List<String> problems = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            JobStep step = tree.step(ASKED);
            assertEquals(1000 - 7 - roots.get(5).count(),
                Digest.of("stub", step.digests()).sums().nodes());
            problems = step.problems();
            assertEquals(7 + roots.get(5).count(), problems.size(), problems.toString());
        }
        String said = String.join("\n", problems);
        assertTrue(said.length() < 10_000, said);
        assertTrue(said.contains("(node " + (parent + 7) + "): its answer makes no sense: the sum of nodes has "),
            said);
        assertTrue(said.contains("(node " + (parent + 1) + "): has not answered earlier questions yet"), said);
        assertTrue(said.contains("(node " + (parent + 2) + "): its answer makes no sense"), said);
        assertTrue(said.contains("(node " + (parent + 3) + "): its answer makes no sense: tells of others"), said);
        assertTrue(said.contains("(node " + (parent + 4) + "): its answer makes no sense: speaks for nodes"), said);
        assertTrue(said.contains("(node " + (parent + 5) + "): its answer makes no sense: speaks for nodes"), said);
    }

    /** As it drops what comes before its part of the job begins. */
    @Test
    void shouldHearAnAgentThatWasAskedBeforeItBegan() throws Exception {
        Tree tree = new Tree(100);
        Fan.Range root = Fan.of(0, 100).getFirst();
        Fan.Range late = Fan.of(root.first() + 1, root.count() - 1).getFirst();
        tree.liars.put(late.first(), frame -> null);
        tree.step(ASKED);
        assertEquals(100 - late.count(), Digest.of("stub", tree.step(ASKED).digests()).sums().nodes());
        tree.liars.clear();
        assertEquals(100 - late.count(), Digest.of("stub", tree.step(ASKED).digests()).sums().nodes());
        tree.inner.get(root.first()).began(late);
        tree.inquiries.began(late.first());
        assertEquals(100, Digest.of("stub", tree.step(ASKED).digests()).sums().nodes());
        assertEquals(List.of(), tree.step(ASKED).problems());
    }

    /** The first of a connection is late; one behind it begins meanwhile, and is asked by the launcher's count. */
    @Test
    void shouldHearAllAgainWhenOneBeganWhileAnotherWasLate() throws Exception {
        Tree tree = new Tree(100);
        Fan.Range root = Fan.of(0, 100).getFirst();
        List<Frame> late = new ArrayList<>();
        tree.liars.put(root.first(), frame -> {
            late.add(frame);
            return null;
        });
        tree.step(ASKED);
        tree.inquiries.began(root.first() + 1);
        tree.step(ASKED);
        tree.liars.clear();
        tree.fromRoot(root, late.getFirst());
        assertEquals(100, Digest.of("stub", tree.step(ASKED).digests()).sums().nodes());
        assertEquals(List.of(), tree.step(ASKED).problems());
    }

    private static String text(Digest digest) {
        return Base64.getEncoder().encodeToString(DigestBytes.encode(digest));
    }

    private static int number(Frame frame) {
        try {
            return Codec.numberOfAnswer(frame);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Frame saying(Frame frame, String text) {
        return Codec.encode(new Answer(number(frame), true, text), frame.node());
    }

    private static Frame summed(Summed summed) {
        return Codec.encode(summed);
    }
}

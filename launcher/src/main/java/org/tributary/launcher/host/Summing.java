package org.tributary.launcher.host;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.tributary.launcher.link.Answer;
import org.tributary.launcher.link.Codec;
import org.tributary.launcher.link.Command;
import org.tributary.launcher.link.Fan;
import org.tributary.launcher.link.Frame;
import org.tributary.launcher.link.Summed;
import org.tributary.launcher.step.Asked;
import org.tributary.launcher.step.Digest;
import org.tributary.launcher.step.DigestBytes;

/**
 * Sums what an agent and those behind it tell of one step of a page. One that is late is left out, and is asked again
 * only when it has answered. Thread-safe.
 */
final class Summing {
    /** For each level of agents below: all of them are to fit the time of a launcher. */
    private static final long LEVEL_NS = TimeUnit.MILLISECONDS.toNanos(400);
    /** Of a problem. */
    private static final int MOST_CHARACTERS = 1000;

    private final String job;
    private final JobSize size;
    /** This node and those behind it. */
    private final Fan.Range all;
    private final Supplier<List<Fan.Range>> links;
    private final Consumer<Frame> downstream;
    private final Consumer<Frame> upstream;
    private final long limitNs;
    /** The questions that those behind each link have not answered, by its first node. */
    private final Map<Integer, Integer> busy = new HashMap<>();
    private Round round;

    /**
     * Sums that are still to be asked for.
     *
     * @param all        begins with this node
     * @param links      what is behind each connection to another agent
     * @param downstream takes questions
     * @param upstream   takes sums
     */
    Summing(String job, JobSize size, Fan.Range all, Supplier<List<Fan.Range>> links, Consumer<Frame> downstream,
        Consumer<Frame> upstream) {
        this.job = job;
        this.size = size;
        this.all = all;
        this.links = links;
        this.downstream = downstream;
        this.upstream = upstream;
        this.limitNs = LEVEL_NS * Fan.levels(all.count() - 1);
    }

    private static final class Round {
        private final int number;
        private final Asked asked;
        private final List<Digest> digests = new ArrayList<>();
        private final Map<Integer, String> problems = new TreeMap<>();
        private final Set<Fan.Range> awaited = new HashSet<>();
        private int more;

        Round(int number, Asked asked) {
            this.number = number;
            this.asked = asked;
        }
    }

    /** Asks those behind this node, and waits for no answer; that of this node is awaited, too. */
    synchronized void ask(Command.Inquire inquire) {
        finish();
        Asked asked;
        try {
            asked = Asked.of(inquire.text());
        } catch (IllegalArgumentException e) {
            tell(new Summed(inquire.number(), all, Optional.empty(), Map.of(all.first(), e.getMessage()),
                all.count() - 1));
            return;
        }
        round = new Round(inquire.number(), asked);
        round.awaited.add(own());
        for (Fan.Range range : links.get()) {
            if (busy.containsKey(range.first())) {
                note(range, "has not answered earlier questions yet");
            } else {
                busy.put(range.first(), inquire.number());
                round.awaited.add(range);
                downstream.accept(Codec.encode(inquire, range.first()));
            }
        }
        Round begun = round;
        try {
            Thread.ofVirtual().name("sum of nodes").start(() -> finish(begun));
        } catch (OutOfMemoryError e) {
            return; // no thread to limit it: it is told when all have answered, or at the next question
        }
    }

    private Fan.Range own() {
        return new Fan.Range(all.first(), 1);
    }

    /** An agent behind this node has begun, and has not heard what it was asked before. */
    synchronized void began(Fan.Range from) {
        busy.remove(from.first());
    }

    /** Takes what this node says, if it is its part of a sum. */
    synchronized boolean takesOwn(Answer answer) {
        if (round == null || round.number != answer.number()) {
            return false;
        }
        take(own(), Summed.of(answer, all.first()));
        return true;
    }

    /** Takes a frame of an agent behind this node, if it is its part of a sum; others belong upstream. */
    synchronized boolean takes(Fan.Range from, Frame frame) {
        if (!Codec.isAnswer(frame) && !Codec.isSummed(frame)) {
            return false;
        }
        try {
            Integer asked = busy.get(from.first());
            if (asked == null || Codec.numberOfAnswer(frame) != asked) {
                return Codec.isSummed(frame); // nobody has asked for it
            }
            busy.remove(from.first());
            take(from, summed(from, frame));
        } catch (IOException e) {
            makesNoSense(from, e.getMessage());
        }
        return true;
    }

    private static Summed summed(Fan.Range from, Frame frame) throws IOException {
        return (Codec.isSummed(frame) ? Codec.summed(frame) : Summed.of(Codec.answer(frame), frame.node()))
            .checked(from);
    }

    private void take(Fan.Range from, Summed told) {
        if (round == null || round.number != told.number() || !round.awaited.contains(from)) {
            return; // it is late
        }
        try {
            if (told.text().isPresent()) {
                Digest digest = DigestBytes.decode(Base64.getDecoder().decode(told.text().get()));
                if (!digest.job().equals(job) || !size.equals(new JobSize(digest.jobNodes(), digest.jobRanks()))
                    || !digest.isOf(from.first(), from.count())) {
                    throw new IllegalArgumentException("tells of others than nodes " + from.first() + " to "
                        + (from.end() - 1) + " of the job");
                }
                round.digests.add(digest);
            }
        } catch (RuntimeException e) { // whatever it holds, the others are shown
            makesNoSense(from, e.getMessage());
            return;
        }
        told.problems().forEach((node, why) -> note(new Fan.Range(node, 1), why));
        round.more += told.more();
        answered(from);
    }

    private void makesNoSense(Fan.Range from, String why) {
        if (round != null && round.awaited.contains(from)) {
            note(from, "its answer makes no sense: " + why);
            answered(from);
        }
    }

    private void note(Fan.Range nodes, String why) {
        if (round.problems.size() < Summed.MOST_PROBLEMS) {
            round.problems.put(nodes.first(), why.substring(0, Math.min(why.length(), MOST_CHARACTERS)));
            round.more += nodes.count() - 1;
        } else {
            round.more += nodes.count();
        }
    }

    private void answered(Fan.Range from) {
        round.awaited.remove(from);
        if (round.awaited.isEmpty()) {
            finish();
        }
    }

    private void finish(Round begun) {
        try {
            TimeUnit.NANOSECONDS.sleep(limitNs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            if (round == begun) {
                finish();
            }
        }
    }

    private void finish() {
        if (round == null) {
            return;
        }
        round.awaited.forEach(nodes -> note(nodes, "no answer within " + TimeUnit.NANOSECONDS.toMillis(limitNs) / 1e3
            + " s"));
        Optional<String> text = Optional.empty();
        if (!round.digests.isEmpty()) {
            Digest sum = Digest.of(job, round.digests);
            sum.reduce(round.asked, Digest.LINES);
            byte[] bytes = DigestBytes.encode(sum);
            if (bytes.length > DigestBytes.MOST_BYTES) {
                round.problems.clear();
                round.more = 0;
                note(all, "what these nodes tell has " + bytes.length + " bytes, and the most is "
                    + DigestBytes.MOST_BYTES);
            } else {
                text = Optional.of(Base64.getEncoder().encodeToString(bytes));
            }
        }
        Summed summed = new Summed(round.number, all, text, round.problems, round.more);
        round = null;
        tell(summed);
    }

    private void tell(Summed summed) {
        upstream.accept(Codec.encode(summed));
    }
}

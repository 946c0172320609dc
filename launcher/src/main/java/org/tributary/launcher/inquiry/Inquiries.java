package org.tributary.launcher.inquiry;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.tributary.launcher.link.Answer;
import org.tributary.launcher.link.Command;
import org.tributary.launcher.link.Fan;
import org.tributary.launcher.link.Frame;
import org.tributary.launcher.link.Inquiry;
import org.tributary.launcher.link.Question;
import org.tributary.launcher.link.Summed;

/**
 * Questions that agents are answering, of a launcher or of a command that looks at jobs of others. A host that does not
 * answer is named. Thread-safe.
 */
public final class Inquiries implements Inquiry.Asking {
    private final String jobId;
    private final Map<Integer, String> names;
    private final AtomicInteger last;
    private final Sender sender;
    private final Map<Integer, Round> open = new ConcurrentHashMap<>();
    private final OpenQuestions questions = new OpenQuestions();
    /** Two pages take turns, or each would find agents busy with the other. */
    private final Semaphore snapshots = new Semaphore(1);

    /**
     * Questions that are still to come.
     *
     * @param names by node, for messages
     * @param last  number of a question, of this or others
     */
    Inquiries(String jobId, Map<Integer, String> names, AtomicInteger last, Sender sender) {
        this.jobId = jobId;
        this.names = new TreeMap<>(names);
        this.last = last;
        this.sender = sender;
    }

    /** Questions to the nodes of a job; {@code hosts} has the host of each node, in their order. */
    public static Inquiries ofNodes(String jobId, List<String> hosts, Sender sender) {
        return new Inquiries(jobId, IntStream.range(0, hosts.size()).boxed().collect(Collectors.toMap(node -> node,
            node -> "host " + hosts.get(node) + " (node " + node + ")")), new AtomicInteger(), sender);
    }

    /** Sends to the agent of a node, or to {@link Frame#ALL}; does not wait. */
    public interface Sender {
        void send(Command.Inquire inquire, int node);
    }

    @Override
    public List<String> ask(Inquiry inquiry, Inquiry.Taker taker) throws IOException, InterruptedException {
        if (inquiry.question() != Question.SNAPSHOT) {
            return askNow(inquiry, taker);
        }
        if (!snapshots.tryAcquire(inquiry.limitNs(), TimeUnit.NANOSECONDS)) {
            return List.of("the agents are still answering another page");
        }
        try {
            return askNow(inquiry, taker);
        } finally {
            snapshots.release();
        }
    }

    private List<String> askNow(Inquiry inquiry, Inquiry.Taker taker) throws IOException, InterruptedException {
        List<Integer> nodes = inquiry.nodes().isEmpty() ? List.copyOf(names.keySet())
            : inquiry.nodes().stream().filter(names::containsKey).distinct().toList();
        int number = last.incrementAndGet();
        Map<Integer, String> problems = new TreeMap<>();
        List<Integer> asked = nodes.stream().filter(node -> questions.add(node, number, inquiry.question())).toList();
        nodes.forEach(node -> problems.put(node, "has not answered earlier questions yet"));
        asked.forEach(node -> problems.put(node, "no answer within "
            + TimeUnit.NANOSECONDS.toMillis(inquiry.limitNs()) / 1e3 + " s"));
        Round round = new Round(Set.copyOf(asked));
        open.put(number, round);
        try {
            send(new Command.Inquire(jobId, number, inquiry.question(), inquiry.text()), asked);
            long endNs = System.nanoTime() + inquiry.limitNs();
            for (int left = asked.size(); left > 0;) {
                Summed told = round.told.poll(endNs - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (told == null) {
                    break;
                }
                left -= (int) asked.stream().filter(told.nodes()::has).count();
                problems.keySet().removeIf(told.nodes()::has);
                problems.putAll(told.allProblems());
                if (told.text().isPresent()) {
                    taker.take(told.nodes().first(), told.text().get());
                }
            }
        } finally {
            open.remove(number);
        }
        return problems.entrySet().stream().map(problem -> names.get(problem.getKey()) + ": "
            + problem.getValue()).toList();
    }

    /** One message goes down the tree when all are asked. */
    private void send(Command.Inquire inquire, List<Integer> nodes) {
        if (nodes.size() == names.size()) {
            sender.send(inquire, Frame.ALL);
        } else {
            nodes.forEach(node -> sender.send(inquire, node));
        }
    }

    /** Takes what an agent says; of an inquiry that nobody waits for any more, nothing. */
    public void answered(int node, Answer answer) {
        questions.answered(node, answer.number());
        Round round = open.get(answer.number());
        if (round != null && round.nodes.contains(node) && round.hears(Set.of(node))) {
            round.told.add(Summed.of(answer, node));
        }
    }

    /**
     * Takes what an agent says for all that are behind it. Only the first of them has been asked: what is open for the
     * others was never sent, or is answered by this.
     */
    public void answered(Summed summed) {
        Fan.Range nodes = summed.nodes();
        Set<Integer> numbers = IntStream.range(nodes.first(), nodes.end()).boxed().collect(Collectors.toSet());
        numbers.forEach(node -> questions.answeredUpTo(node, summed.number()));
        Round round = open.get(summed.number());
        if (round != null && round.nodes.contains(nodes.first()) && round.hears(numbers)) {
            round.told.add(summed);
        }
    }

    /** An agent has begun, and has not heard what it was asked before. */
    public void began(int node) {
        questions.forget(node);
    }

    private static final class Round {
        private final Set<Integer> nodes;
        private final Set<Integer> heard = ConcurrentHashMap.newKeySet();
        private final BlockingQueue<Summed> told = new LinkedBlockingQueue<>();

        Round(Set<Integer> nodes) {
            this.nodes = nodes;
        }

        /** Whether none of them has said anything before. */
        boolean hears(Set<Integer> numbers) {
            return Collections.disjoint(heard, numbers) && heard.addAll(numbers);
        }
    }
}

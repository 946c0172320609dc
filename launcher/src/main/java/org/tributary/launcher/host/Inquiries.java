package org.tributary.launcher.host;

import java.io.IOException;
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
import java.util.stream.IntStream;

/** Questions of a launcher that its agents are answering. A host that does not answer is named. Thread-safe. */
final class Inquiries implements Inquiry.Asking {
    private final List<String> hosts;
    private final Sender sender;
    private final AtomicInteger last = new AtomicInteger();
    private final Map<Integer, Round> open = new ConcurrentHashMap<>();
    private final OpenQuestions questions = new OpenQuestions();
    /** Two pages take turns, or each would find agents busy with the other. */
    private final Semaphore snapshots = new Semaphore(1);

    /** {@code hosts} by node. */
    Inquiries(List<String> hosts, Sender sender) {
        this.hosts = hosts;
        this.sender = sender;
    }

    /** Sends to the agent of a node, or to {@link Frame#ALL}; does not wait. */
    interface Sender {
        void send(Frame frame);
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
        List<Integer> nodes = inquiry.nodes().isEmpty() ? IntStream.range(0, hosts.size()).boxed().toList()
            : inquiry.nodes().stream().filter(node -> node >= 0 && node < hosts.size()).distinct().toList();
        int number = last.incrementAndGet();
        Map<Integer, String> problems = new TreeMap<>();
        List<Integer> asked = nodes.stream().filter(node -> questions.add(node, number, inquiry.question())).toList();
        nodes.forEach(node -> problems.put(node, "has not answered earlier questions yet"));
        asked.forEach(node -> problems.put(node, "no answer within "
            + TimeUnit.NANOSECONDS.toMillis(inquiry.limitNs()) / 1e3 + " s"));
        Round round = new Round(Set.copyOf(asked));
        open.put(number, round);
        try {
            send(new Command.Inquire(number, inquiry.question(), inquiry.text()), asked);
            long endNs = System.nanoTime() + inquiry.limitNs();
            for (int left = asked.size(); left > 0; left--) {
                Told told = round.told.poll(endNs - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (told == null) {
                    break;
                }
                if (told.answer.isKnown()) {
                    problems.remove(told.node);
                    taker.take(told.node, told.answer.text());
                } else {
                    problems.put(told.node, told.answer.text());
                }
            }
        } finally {
            open.remove(number);
        }
        return problems.entrySet().stream().map(problem -> "host " + hosts.get(problem.getKey()) + " (node "
            + problem.getKey() + "): " + problem.getValue()).toList();
    }

    /** One message goes down the tree when all are asked. */
    private void send(Command command, List<Integer> nodes) {
        if (nodes.size() == hosts.size()) {
            sender.send(Codec.encode(command, Frame.ALL));
        } else {
            nodes.forEach(node -> sender.send(Codec.encode(command, node)));
        }
    }

    /** Takes what an agent says; of an inquiry that nobody waits for any more, nothing. */
    void answered(int node, Answer answer) {
        questions.answered(node, answer.number());
        Round round = open.get(answer.number());
        if (round != null && round.nodes.contains(node) && round.heard.add(node)) {
            round.told.add(new Told(node, answer));
        }
    }

    /** An agent has begun, and has not heard what it was asked before. */
    void began(int node) {
        questions.forget(node);
    }

    private record Told(int node, Answer answer) {
    }

    private static final class Round {
        private final Set<Integer> nodes;
        private final Set<Integer> heard = ConcurrentHashMap.newKeySet();
        private final BlockingQueue<Told> told = new LinkedBlockingQueue<>();

        Round(Set<Integer> nodes) {
            this.nodes = nodes;
        }
    }
}

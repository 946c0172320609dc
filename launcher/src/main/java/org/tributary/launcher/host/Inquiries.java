package org.tributary.launcher.host;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Questions of a launcher that its agents are answering. A host that does not answer is named. Thread-safe. */
final class Inquiries implements Inquiry.Asking {
    private final List<String> hosts;
    private final Sender sender;
    private final AtomicInteger last = new AtomicInteger();
    private final Map<Integer, Round> open = new ConcurrentHashMap<>();

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
    public Inquiry.Answers ask(Inquiry inquiry) throws InterruptedException {
        List<Integer> nodes = inquiry.nodes().isEmpty() ? IntStream.range(0, hosts.size()).boxed().toList()
            : inquiry.nodes().stream().filter(node -> node >= 0 && node < hosts.size()).distinct().toList();
        int number = last.incrementAndGet();
        Round round = new Round(nodes);
        open.put(number, round);
        try {
            Command command = new Command.Inquire(number, inquiry.question(), inquiry.text());
            if (inquiry.nodes().isEmpty()) {
                sender.send(Codec.encode(command, Frame.ALL));
            } else {
                nodes.forEach(node -> sender.send(Codec.encode(command, node)));
            }
            boolean unused = round.all.await(inquiry.limitNs(), TimeUnit.NANOSECONDS);
        } finally {
            open.remove(number);
        }
        return answers(round, inquiry.limitNs());
    }

    private Inquiry.Answers answers(Round round, long limitNs) {
        Map<Integer, String> texts = new HashMap<>();
        List<String> problems = new ArrayList<>();
        for (int node : new TreeSet<>(round.nodes)) {
            Answer answer = round.answers.get(node);
            if (answer != null && answer.isKnown()) {
                texts.put(node, answer.text());
            } else {
                problems.add("host " + hosts.get(node) + " (node " + node + "): " + (answer != null ? answer.text()
                    : "no answer within " + TimeUnit.NANOSECONDS.toMillis(limitNs) / 1e3 + " s"));
            }
        }
        return new Inquiry.Answers(texts, problems);
    }

    /** Takes what an agent says; of an inquiry that nobody waits for any more, nothing. */
    void answered(int node, Answer answer) {
        Round round = open.get(answer.number());
        if (round != null && round.nodes.contains(node) && round.answers.putIfAbsent(node, answer) == null) {
            round.all.countDown();
        }
    }

    private static final class Round {
        private final Set<Integer> nodes;
        private final Map<Integer, Answer> answers = new ConcurrentHashMap<>();
        private final CountDownLatch all;

        Round(List<Integer> nodes) {
            this.nodes = Set.copyOf(nodes);
            this.all = new CountDownLatch(nodes.size());
        }
    }
}

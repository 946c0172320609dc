package org.tributary.launcher.inquiry;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.tributary.config.Settings;
import org.tributary.launcher.job.LineSink;
import org.tributary.launcher.job.WorkProgress;
import org.tributary.launcher.link.AgentLink;
import org.tributary.launcher.link.AgentLinks;
import org.tributary.launcher.link.Answer;
import org.tributary.launcher.link.Codec;
import org.tributary.launcher.link.Command;
import org.tributary.launcher.link.Fan;
import org.tributary.launcher.link.Frame;
import org.tributary.launcher.link.Inquiry;
import org.tributary.launcher.link.LaunchCommand;
import org.tributary.launcher.link.LauncherWatch;
import org.tributary.launcher.link.Question;
import org.tributary.launcher.status.JobView;

/**
 * All of the user's jobs on several hosts: an agent on each host tells of those there
 * ({@link Onlooker}). A host that does not answer is a problem; what others tell is shown. Thread-safe.
 */
public final class JobsOnHosts implements AutoCloseable {
    /** Agents that are being started at a time. */
    private static final int MOST_AT_ONCE = 32;
    /** For what an agent finds in a directory, and the way there and back. */
    private static final long ANSWER_NS = TimeUnit.SECONDS.toNanos(4);
    private static final long LOOK_MS = 100;

    private final List<SeenHost> hosts;
    private final String release;
    private final LineSink err;
    /** Of all questions, so that an answer belongs to one. */
    private final AtomicInteger lastQuestion = new AtomicInteger();
    private final Inquiries ofHosts;
    private volatile Map<String, Nodes> jobs = Map.of();
    private volatile List<String> problems = List.of();

    private JobsOnHosts(List<String> names, String release, LineSink err) {
        this.hosts = IntStream.range(0, names.size()).mapToObj(i -> new SeenHost(i, names.get(i))).toList();
        this.release = release;
        this.err = err;
        Map<Integer, String> titles = new HashMap<>();
        hosts.forEach(host -> titles.put(host.number, host.title));
        this.ofHosts = new Inquiries("", titles, lastQuestion, (inquire, asked) -> hosts.forEach(host -> {
            if (asked == Frame.ALL || asked == host.number) {
                host.ask(inquire, host.number);
            }
        }));
    }

    /**
     * Starts an agent on each host, and waits until it answers, or does not.
     *
     * @param settings those of the jobs; {@code attach.timeout} limits the way to each host
     * @param release  of this program, as {@code tributary --version} says it
     * @param err      gets what programs on hosts say otherwise, and how far this is when it takes long
     */
    public static JobsOnHosts open(List<String> hosts, LaunchCommand launch, Settings settings, String release,
        LineSink err) throws InterruptedException {
        return open(hosts, launch, settings, release, err, System::nanoTime);
    }

    /** The same, by another clock. */
    static JobsOnHosts open(List<String> hosts, LaunchCommand launch, Settings settings, String release, LineSink err,
        LongSupplier nanoTime) throws InterruptedException {
        JobsOnHosts opened = new JobsOnHosts(hosts, release, err);
        try {
            opened.start(launch, settings, nanoTime);
        } catch (InterruptedException e) {
            opened.close();
            throw e;
        }
        return opened;
    }

    private void start(LaunchCommand launch, Settings settings, LongSupplier nanoTime) throws InterruptedException {
        WorkProgress progress = new WorkProgress(err, nanoTime.getAsLong());
        Command.Look look = new Command.Look(settings.toEnvironment(), LauncherWatch.ownConnection());
        Semaphore slots = new Semaphore(MOST_AT_ONCE);
        CountDownLatch left = new CountDownLatch(hosts.size());
        for (SeenHost host : hosts) {
            Thread.ofVirtual().start(() -> {
                slots.acquireUninterruptibly();
                try {
                    host.start(launch, look, settings.attachTimeoutNs());
                } finally {
                    slots.release();
                    left.countDown();
                }
            });
        }
        while (!left.await(LOOK_MS, TimeUnit.MILLISECONDS)) {
            long done = hosts.size() - left.getCount();
            progress.at(nanoTime.getAsLong(), "starting agents: " + done + " of " + hosts.size() + " hosts", done,
                hosts.size());
        }
        progress.over();
    }

    /** Which there are now, by id. Of a host that does not answer they are as they were, while others know them too. */
    public synchronized Map<String, JobView> find() throws IOException, InterruptedException {
        List<String> nonsense = new ArrayList<>();
        List<String> silent = ofHosts.ask(new Inquiry(Question.JOBS, "", List.of(), ANSWER_NS), (host, text) -> {
            try {
                hosts.get(host).nodes = nodes(text);
            } catch (RuntimeException e) { // whatever it holds, the others are shown
                nonsense.add(hosts.get(host).title + ": its answer makes no sense: " + e.getMessage());
            }
        });
        nonsense.addAll(silent);
        problems = List.copyOf(nonsense);
        Map<String, Map<Integer, SeenHost>> found = new TreeMap<>();
        for (SeenHost host : hosts) {
            host.nodes.forEach((job, nodes) -> nodes.forEach(node ->
                found.computeIfAbsent(job, unseen -> new TreeMap<>()).putIfAbsent(node, host)));
        }
        found.values().removeIf(nodes -> nodes.values().stream().noneMatch(SeenHost::isThere));
        Map<String, Nodes> now = new TreeMap<>();
        found.forEach((job, nodes) -> {
            Nodes before = jobs.get(job);
            now.put(job, before != null && before.hosts.equals(nodes) ? before : nodes(job, nodes));
        });
        jobs = now;
        Map<String, JobView> views = new TreeMap<>();
        now.keySet().forEach(job -> views.put(job, new HostsView(job, (inquiry, taker) -> ask(job, inquiry, taker))));
        return views;
    }

    private static Map<String, List<Integer>> nodes(String text) {
        return text.lines().map(line -> line.split(" ")).collect(Collectors.groupingBy(words -> words[0],
            Collectors.mapping(words -> Integer.valueOf(words[1]), Collectors.toList())));
    }

    private Nodes nodes(String job, Map<Integer, SeenHost> of) {
        Map<Integer, String> names = new HashMap<>();
        of.forEach((node, host) -> names.put(node, host.title + " (node " + node + ")"));
        return new Nodes(of, new Inquiries(job, names, lastQuestion, (inquire, node) -> of.forEach((number, host) -> {
            if (node == Frame.ALL || node == number) {
                host.ask(inquire, number);
            }
        })));
    }

    private List<String> ask(String job, Inquiry inquiry, Inquiry.Taker taker)
        throws IOException, InterruptedException {
        Nodes nodes = jobs.get(job);
        if (nodes == null) {
            return List.of("the job has ended");
        }
        List<String> silent = new ArrayList<>(nodes.asking.ask(inquiry, taker));
        if (inquiry.question() == Question.SNAPSHOT) { // a page shows the job alone, and it may have nodes there
            hosts.stream().filter(host -> !host.isThere() && !nodes.hosts.containsValue(host))
                .forEach(host -> silent.add(host.problem()));
        }
        return silent;
    }

    private void answered(int node, Answer answer) {
        ofHosts.answered(node, answer);
        jobs.values().forEach(nodes -> nodes.asking.answered(node, answer));
    }

    /** Of hosts that have not told of their jobs, or do not any more, one a line. */
    public List<String> problems() {
        return Stream.concat(problems.stream(), hosts.stream().filter(host -> !host.isThere()).map(SeenHost::problem))
            .distinct().toList();
    }

    /** Whether an agent lives. */
    public boolean isAnyThere() {
        return hosts.stream().anyMatch(SeenHost::isThere);
    }

    /** Ends the agents. */
    @Override
    public void close() {
        AgentLink.end(hosts.stream().map(host -> host.link).filter(Objects::nonNull).toList());
    }

    /** Where the nodes of a job are, by number. */
    private record Nodes(Map<Integer, SeenHost> hosts, Inquiries asking) {
    }

    private final class SeenHost implements AgentLink.Listener {
        private final int number;
        private final String name;
        private final String title;
        private final CountDownLatch begun = new CountDownLatch(1);
        private volatile AgentLink link;
        /** Why it says nothing more; empty while it may. */
        private volatile String lost = "";
        /** By job. */
        private volatile Map<String, List<Integer>> nodes = Map.of();

        SeenHost(int number, String name) {
            this.number = number;
            this.name = name;
            this.title = "host " + name;
        }

        void start(LaunchCommand launch, Command.Look look, long limitNs) {
            link = new AgentLink(new Fan.Range(number, 1), name, release, Codec.encode(look, number), this, err);
            link.start(launch, name, AgentLinks.agentCommand());
            try {
                if (!begun.await(limitNs, TimeUnit.NANOSECONDS)) {
                    lose("no answer within " + TimeUnit.NANOSECONDS.toMillis(limitNs) / 1e3 + " s");
                    link.destroy();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                lose("interrupted");
            }
        }

        private synchronized void lose(String why) {
            lost = lost.isEmpty() ? why : lost;
        }

        boolean isThere() {
            return lost.isEmpty();
        }

        String problem() {
            return title + ": " + lost;
        }

        void ask(Command.Inquire inquire, int node) {
            if (isThere()) {
                link.send(Codec.encode(inquire, node));
            } else {
                answered(node, NodeWitness.unknown(inquire, lost));
            }
        }

        @Override
        public void frame(Fan.Range from, Frame frame) {
            begun.countDown();
            if (Codec.isAnswer(frame)) {
                try {
                    answered(frame.node(), Codec.answer(frame));
                } catch (IOException e) {
                    lose("its agent makes no sense: " + e.getMessage());
                }
            }
        }

        @Override
        public void gone(Fan.Range range, String host, String why) {
            lose(why);
            begun.countDown();
        }
    }
}

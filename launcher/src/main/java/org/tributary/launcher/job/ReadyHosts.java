package org.tributary.launcher.job;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Which hosts of a job can take part, and what is wrong with the others. There are none in a job of one machine. */
final class ReadyHosts {
    private static final int NAMED = 8;

    private final List<String> names;
    private final BitSet answered = new BitSet();
    /** By node. */
    private final Map<Integer, List<String>> problems = new TreeMap<>();
    /** Problems that are no host's, by their subjects. */
    private final Map<String, List<String>> otherProblems = new LinkedHashMap<>();
    private final Map<String, Integer> byIdentity = new HashMap<>();
    private final Map<String, Integer> byHostName = new HashMap<>();

    ReadyHosts(List<String> names) {
        this.names = names;
    }

    boolean isEmpty() {
        return names.isEmpty();
    }

    String name(int node) {
        return names.get(node);
    }

    int count() {
        return names.size();
    }

    int answered() {
        return answered.cardinality();
    }

    boolean allAnswered() {
        return answered() == count();
    }

    void ready(Event.HostReady host) {
        answered.set(host.node());
        host.problems().forEach(problem -> problem(host.node(), problem));
        Integer twin = byIdentity.putIfAbsent(host.identity(), host.node());
        Integer namesake = byHostName.putIfAbsent(host.hostName(), host.node());
        if (twin != null) {
            problem(host.node(), "is the same machine as " + names.get(twin) + "; name each machine once");
        } else if (namesake != null) {
            problem(host.node(), "calls itself " + host.hostName() + ", as " + names.get(namesake)
                + " does; give each machine a host name of its own");
        }
    }

    void failed(Event.HostGone gone) {
        problem(gone.node(), gone.why());
        for (int node = gone.node(); node < gone.node() + gone.count(); node++) {
            if (!answered.get(node) && node > gone.node()) {
                problem(node, "was to be started from " + gone.host());
            }
            answered.set(node);
        }
    }

    /** Of the layout, or of the machine that the launcher is on. */
    void problem(String whose, String problem) {
        otherProblems.computeIfAbsent(whose, first -> new ArrayList<>()).add(problem);
    }

    void problem(int node, String problem) {
        problems.computeIfAbsent(node, first -> new ArrayList<>()).add(problem);
    }

    /**
     * A host or server that has not answered by now counts as a problem.
     *
     * @param within the limit in words
     * @param said   by node, what came from a host instead of an answer
     */
    void timedOut(ReadyServers servers, String within, IntFunction<String> said) {
        for (int node = 0; node < names.size(); node++) {
            if (!answered.get(node)) {
                String instead = said.apply(node);
                problem(node, "no answer" + within + (instead.isEmpty() ? "" : "; it said: " + instead));
            } else if (allAnswered() && !servers.hasAnswered(node)) {
                problem(node, "its server is not ready" + within);
            }
        }
    }

    boolean haveProblems() {
        return !problems.isEmpty() || !otherProblems.isEmpty();
    }

    /** All problems, a line each. */
    String report() {
        String ofHosts = problems.size() + " of " + names.size()
            + (problems.size() == 1 ? " hosts has a problem" : " hosts have problems");
        String others = String.join(" and ", otherProblems.keySet());
        String whose = otherProblems.isEmpty() ? ofHosts
            : problems.isEmpty() ? others + (otherProblems.size() == 1 ? " has a problem" : " have problems")
            : ofHosts + ", and so " + (otherProblems.size() == 1 ? "has " : "have ") + others;
        Stream<String> there = problems.entrySet().stream()
            .flatMap(host -> lines(names.get(host.getKey()), host.getValue()));
        return "nothing was started: " + whose + Stream.concat(otherProblems.entrySet().stream()
            .flatMap(other -> lines(other.getKey(), other.getValue())), there).collect(Collectors.joining());
    }

    private static Stream<String> lines(String whose, List<String> problems) {
        return problems.stream().map(problem -> "\n  " + whose + ": " + problem);
    }

    /** Hosts that have not answered. */
    String awaited() {
        int[] nodes = IntStream.range(0, names.size()).filter(node -> !answered.get(node)).toArray();
        return (nodes.length == 1 ? "host " : "hosts ")
            + IntStream.of(nodes).limit(NAMED).mapToObj(names::get).collect(Collectors.joining(", "))
            + (nodes.length > NAMED ? " and " + (nodes.length - NAMED) + " more" : "");
    }
}

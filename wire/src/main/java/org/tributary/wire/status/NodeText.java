package org.tributary.wire.status;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.StringJoiner;
import org.tributary.wire.RankState;
import org.tributary.wire.shm.WaitKind;
import org.tributary.wire.status.NodeDetails.Lock;
import org.tributary.wire.status.NodeDetails.LockName;
import org.tributary.wire.status.NodeDetails.Member;
import org.tributary.wire.status.NodeDetails.Questions;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.NodeStatus.Wait;

/**
 * Texts about a node that are sent from one host to another, its status, questions and answers: lines of words, the
 * first of which says what the others are.
 *
 * <pre>
 *   node JOB NODE LAYOUT JOB-RANKS JOB-NODES AGE-NS SERVER-PID SERVER
 *   rank RANK STATE PID PROCESS CPU-TICKS BLOCKED HARMED     then the lines of its waits
 *   wait KIND PEER SEGMENT NUMBER AGE-NS
 *   group SEGMENT, window SEGMENT, ask SEGMENT RANK INDEX    what is asked
 *   member SEGMENT RANK [NUMBER KEY WHAT BYTES SUBJECT TEXT]
 *   lock SEGMENT RANK INDEX HOLDER SHARED
 * </pre>
 */
public final class NodeText {
    private static final String UNKNOWN = "-";
    private static final int WORDS_OF_MEMBER = 3;

    private NodeText() {
    }

    private static String line(Object... words) {
        StringJoiner line = new StringJoiner(" ", "", "\n");
        for (Object word : words) {
            line.add(word.toString());
        }
        return line.toString();
    }

    private static String encoded(String text) {
        return "=" + URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String decoded(String word) {
        return URLDecoder.decode(word.substring(1), StandardCharsets.UTF_8);
    }

    /** The line of a node, then those of its ranks, each before the lines of its waits. */
    public static String of(NodeStatus node) {
        StringBuilder text = new StringBuilder(line("node", node.job(), node.node(), encoded(node.layout()),
            node.jobRanks(), node.jobNodes(), node.ageNs(), node.serverPid(), node.server()));
        for (Rank rank : node.ranks()) {
            text.append(line("rank", rank.rank(), rank.state() == null ? UNKNOWN : rank.state(), rank.pid(),
                rank.process(), rank.cpuTicks(), rank.blocked(), rank.isHarmed()));
            rank.waits().forEach(wait -> text.append(line("wait", wait.kind(), wait.peer(), wait.segment(),
                wait.number(), wait.ageNs())));
        }
        return text.toString();
    }

    /**
     * Reads what {@link #of} has written.
     *
     * @throws IllegalArgumentException when it is none
     */
    public static NodeStatus node(String text) {
        return parsed(text, lines -> {
            String[] node = lines.getFirst();
            check(node, "node");
            List<Rank> ranks = new ArrayList<>();
            for (int i = 1; i < lines.size();) {
                String[] rank = lines.get(i++);
                check(rank, "rank");
                List<Wait> waits = new ArrayList<>();
                for (; i < lines.size() && lines.get(i)[0].equals("wait"); i++) {
                    String[] wait = lines.get(i);
                    waits.add(new Wait(WaitKind.valueOf(wait[1]), Integer.parseInt(wait[2]), Long.parseLong(wait[3]),
                        Long.parseLong(wait[4]), Long.parseLong(wait[5])));
                }
                ranks.add(new Rank(Integer.parseInt(rank[1]), rank[2].equals(UNKNOWN) ? null
                    : RankState.valueOf(rank[2]), Long.parseLong(rank[3]), ProcessState.valueOf(rank[4]),
                    Long.parseLong(rank[5]), Long.parseLong(rank[6]), waits, Boolean.parseBoolean(rank[7])));
            }
            return new NodeStatus(node[1], Integer.parseInt(node[2]), decoded(node[3]), Integer.parseInt(node[4]),
                Integer.parseInt(node[5]), Long.parseLong(node[6]), Long.parseLong(node[7]),
                ProcessState.valueOf(node[8]), ranks);
        });
    }

    /** The text of what a node is asked. */
    public static String of(Questions questions) {
        StringBuilder text = new StringBuilder();
        questions.groups().forEach(group -> text.append(line("group", group)));
        questions.windows().forEach(window -> text.append(line("window", window)));
        questions.locks().forEach(lock -> text.append(line("ask", lock.segment(), lock.rank(), lock.index())));
        return text.toString();
    }

    /**
     * Reads questions as {@link #of(Questions)} writes them.
     *
     * @throws IllegalArgumentException when it is none
     */
    public static Questions questions(String text) {
        return parsed(text, lines -> {
            Set<Long> groups = new HashSet<>();
            Set<Long> windows = new HashSet<>();
            Set<LockName> locks = new HashSet<>();
            for (String[] line : lines) {
                switch (line[0]) {
                    case "group" -> groups.add(Long.parseLong(line[1]));
                    case "window" -> windows.add(Long.parseLong(line[1]));
                    default -> {
                        check(line, "ask");
                        locks.add(lockName(line));
                    }
                }
            }
            return new Questions(groups, windows, locks);
        });
    }

    private static LockName lockName(String... line) {
        return new LockName(Long.parseLong(line[1]), Integer.parseInt(line[2]), Long.parseLong(line[3]));
    }

    /** The text of an answer. */
    public static String of(NodeDetails details) {
        StringBuilder text = new StringBuilder();
        for (Member member : details.members()) {
            CallDescription call = member.call();
            text.append(call == null ? line("member", member.segment(), member.rank())
                : line("member", member.segment(), member.rank(), call.number(), call.key(), call.what(),
                    call.bytes(), call.subject(), encoded(call.text())));
        }
        details.locks().forEach(lock -> text.append(line("lock", lock.name().segment(), lock.name().rank(),
            lock.name().index(), lock.holder(), lock.shared())));
        return text.toString();
    }

    /**
     * The answer of a text.
     *
     * @throws IllegalArgumentException when it is none
     */
    public static NodeDetails details(String text) {
        return parsed(text, lines -> {
            List<Member> members = new ArrayList<>();
            List<Lock> locks = new ArrayList<>();
            for (String[] line : lines) {
                if (line[0].equals("member")) {
                    CallDescription call = line.length == WORDS_OF_MEMBER ? null
                        : new CallDescription(Long.parseLong(line[3]), Long.parseLong(line[4]),
                            Long.parseLong(line[5]), Long.parseLong(line[6]), Long.parseLong(line[7]),
                            decoded(line[8]));
                    members.add(new Member(Long.parseLong(line[1]), Integer.parseInt(line[2]), call));
                } else {
                    check(line, "lock");
                    locks.add(new Lock(lockName(line), Integer.parseInt(line[4]), Integer.parseInt(line[5])));
                }
            }
            return new NodeDetails(members, locks);
        });
    }

    private interface Parser<T> {
        T parse(List<String[]> lines);
    }

    private static <T> T parsed(String text, Parser<T> parser) {
        try {
            return parser.parse(text.lines().map(line -> line.split(" ")).toList());
        } catch (IndexOutOfBoundsException | NoSuchElementException e) {
            throw new IllegalArgumentException("a text of a node is cut off: " + e.getMessage(), e);
        }
    }

    private static void check(String[] line, String first) {
        if (!line[0].equals(first)) {
            throw new IllegalArgumentException("in a text of a node a line begins with '" + line[0] + "', not '"
                + first + "'");
        }
    }
}

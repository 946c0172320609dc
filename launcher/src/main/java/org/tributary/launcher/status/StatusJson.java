package org.tributary.launcher.status;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.tributary.config.EnumText;
import org.tributary.config.Json;
import org.tributary.wire.RankState;
import org.tributary.wire.status.AwaitedCall;
import org.tributary.wire.status.JobStatus;
import org.tributary.wire.status.NodeStatus;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.NodeStatus.Wait;
import org.tributary.wire.status.Party;
import org.tributary.wire.status.Words;

/** Jobs and ranks for programs: an array of jobs. Its size grows with their ranks, not with the square of these. */
public final class StatusJson {
    private static final double NS_PER_S = 1e9;
    /** So many missing members of a call each rank that waits for them names itself; more stand once, at the call. */
    private static final int MOST_MEMBERS = 16;

    private final JobStatus job;
    private final Map<AwaitedCall, Integer> numberOfCall = new HashMap<>();
    private final List<Object> calls = new ArrayList<>();

    private StatusJson(JobStatus job) {
        this.job = job;
    }

    /** The text; {@code why} are the lines of reports by job, or empty. */
    public static String of(Collection<JobReading> jobs, Map<String, List<String>> why) {
        List<Object> all = new ArrayList<>();
        for (JobReading job : jobs) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("job", job.id());
            fields.put("layout", StatusTable.layout(job.status()));
            fields.put("state", StatusTable.state(job));
            fields.put("age_s", StatusTable.ageNs(job.status()) / NS_PER_S);
            fields.put("stands_still_s", job.status().standsStillNs() / NS_PER_S);
            StatusJson json = new StatusJson(job.status());
            fields.put("nodes", job.status().nodes().stream().map(json::node).toList());
            fields.put("calls", json.calls);
            fields.put("problems", job.problems());
            if (why.containsKey(job.id())) {
                fields.put("why", why.get(job.id()));
            }
            all.add(fields);
        }
        return Json.of(all);
    }

    private Map<String, Object> node(NodeStatus node) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("node", node.node());
        fields.put("server_pid", node.serverPid());
        fields.put("server", EnumText.underscored(node.server()));
        fields.put("ranks", node.ranks().stream().map(this::rank).toList());
        return fields;
    }

    private Map<String, Object> rank(Rank rank) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("rank", rank.rank());
        fields.put("pid", rank.pid());
        fields.put("state", rank.state() == null ? null : EnumText.underscored(rank.state()));
        fields.put("process", EnumText.underscored(rank.process()));
        fields.put("computes", rank.computes());
        fields.put("blocked_waits", rank.blocked());
        fields.put("waits", rank.state() == RankState.DEPARTED || rank.isLeaving() ? List.of()
            : rank.waits().stream().map(wait -> wait(rank, wait)).toList());
        Set<Party> missing = job.missingFor(rank);
        fields.put("waits_for", (missing.size() <= MOST_MEMBERS ? job.waitsFor(rank) : job.othersFor(rank)).stream()
            .map(Party::toString).toList());
        fields.put("call", missing.isEmpty() ? null
            : numberOfCall.computeIfAbsent(AwaitedCall.of(JobStatus.waitOf(rank)), call -> addCall(call, missing)));
        fields.put("overwritten", rank.isHarmed());
        return fields;
    }

    private int addCall(AwaitedCall call, Set<Party> missing) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("segment", Long.toHexString(call.segment()));
        fields.put("number", call.number());
        fields.put("missing", ranges(missing));
        calls.add(fields);
        return calls.size() - 1;
    }

    /** First and last of each range of their numbers. */
    private static List<List<Integer>> ranges(Set<Party> ranks) {
        List<List<Integer>> ranges = new ArrayList<>();
        for (int rank : ranks.stream().mapToInt(Party::number).sorted().toArray()) {
            if (!ranges.isEmpty() && ranges.getLast().getLast() == rank - 1) {
                ranges.set(ranges.size() - 1, List.of(ranges.getLast().getFirst(), rank));
            } else {
                ranges.add(List.of(rank, rank));
            }
        }
        return ranges;
    }

    private Map<String, Object> wait(Rank rank, Wait wait) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("kind", EnumText.underscored(wait.kind()));
        fields.put("peer", wait.peer());
        fields.put("segment", Long.toHexString(wait.segment()));
        fields.put("number", wait.number());
        fields.put("for_s", wait.ageNs() / NS_PER_S);
        fields.put("text", Words.wait(job, rank.rank(), wait));
        return fields;
    }
}

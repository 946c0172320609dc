package org.tributary.launcher.status;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tributary.config.EnumText;
import org.tributary.config.Json;
import org.tributary.wire.RankState;
import org.tributary.wire.status.JobStatus;
import org.tributary.wire.status.NodeStatus;
import org.tributary.wire.status.NodeStatus.Rank;
import org.tributary.wire.status.NodeStatus.Wait;
import org.tributary.wire.status.Party;
import org.tributary.wire.status.Words;

/** Jobs and ranks for programs: an array of jobs. */
public final class StatusJson {
    private static final double NS_PER_S = 1e9;

    private StatusJson() {
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
            fields.put("nodes", job.status().nodes().stream().map(node -> node(job.status(), node)).toList());
            fields.put("problems", job.problems());
            if (why.containsKey(job.id())) {
                fields.put("why", why.get(job.id()));
            }
            all.add(fields);
        }
        return Json.of(all);
    }

    private static Map<String, Object> node(JobStatus job, NodeStatus node) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("node", node.node());
        fields.put("server_pid", node.serverPid());
        fields.put("server", EnumText.underscored(node.server()));
        fields.put("ranks", node.ranks().stream().map(rank -> rank(job, rank)).toList());
        return fields;
    }

    private static Map<String, Object> rank(JobStatus job, Rank rank) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("rank", rank.rank());
        fields.put("pid", rank.pid());
        fields.put("state", rank.state() == null ? null : EnumText.underscored(rank.state()));
        fields.put("process", EnumText.underscored(rank.process()));
        fields.put("computes", rank.computes());
        fields.put("blocked_waits", rank.blocked());
        fields.put("waits", rank.state() == RankState.DEPARTED || rank.isLeaving() ? List.of()
            : rank.waits().stream().map(wait -> wait(job, rank, wait)).toList());
        fields.put("waits_for", job.waitsFor(rank).stream().map(Party::toString).toList());
        fields.put("overwritten", rank.isHarmed());
        return fields;
    }

    private static Map<String, Object> wait(JobStatus job, Rank rank, Wait wait) {
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

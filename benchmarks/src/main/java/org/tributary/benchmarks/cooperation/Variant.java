package org.tributary.benchmarks.cooperation;

import java.util.ArrayList;
import java.util.List;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.cooperation.CooperationOptions;

/**
 * A way in which nodes cooperate, as one line of the results names it.
 *
 * @param groupSize 0 for the default
 * @param mayGoDirect whether ranks may have connections past the route, as they have by default
 */
record Variant(String mode, String scope, int groupSize, boolean mayGoDirect) {
    static final Variant DIRECT = new Variant("direct", "process", 0, true);

    /** Direct, then every mode of the route in both scopes. */
    static List<Variant> all(int groupSize) {
        List<Variant> all = new ArrayList<>();
        all.add(DIRECT);
        for (String scope : List.of("process", "node")) {
            for (String mode : List.of("forward", "aggregate", "combine")) {
                all.add(new Variant(mode, scope, groupSize, true));
            }
        }
        return all;
    }

    /** The same without connections past the route. */
    Variant routed() {
        return new Variant(mode, scope, groupSize, false);
    }

    /** What it means for a job; blocks may be as large as they come out. */
    CooperationOptions options(Topology topology) {
        Settings.Builder settings = Settings.builder().set("cooperation.mode", mode).set("cooperation.scope", scope)
            .set("cooperation.group-size", Integer.toString(Math.min(groupSize, topology.nodeCount())))
            .set("cooperation.server-bytes", "1024g");
        if (!mayGoDirect) {
            settings.set("cooperation.direct-connections", "0");
        }
        return CooperationOptions.of(settings.build(), topology);
    }

    boolean isDirect() {
        return mode.equals("direct");
    }

    @Override
    public String toString() {
        return isDirect() ? mode : mode + ", " + scope + (mayGoDirect ? "" : ", routed");
    }
}

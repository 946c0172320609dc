package org.tributary.benchmarks.cooperation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.cooperation.CooperationOptions;

/**
 * A way in which nodes cooperate, as one line of the results names it.
 *
 * @param groupSize 0 for the default
 * @param mayGoDirect whether ranks may have direct connections, as they have by default
 */
record Variant(String mode, String scope, int groupSize, boolean mayGoDirect) {
    static final Variant NONE = new Variant("none", "process", 0, true);

    /** No cooperation, then every mode of the route in both scopes. */
    static List<Variant> all(int groupSize) {
        List<Variant> all = new ArrayList<>();
        all.add(NONE);
        for (String scope : List.of("process", "node")) {
            for (String mode : List.of("forward", "aggregate", "combine")) {
                all.add(new Variant(mode, scope, groupSize, true));
            }
        }
        return all;
    }

    /** The same without direct connections. */
    Variant routed() {
        return new Variant(mode, scope, groupSize, false);
    }

    /** The options that the variant's settings give a job of this layout, without a limit of memory for rings. */
    CooperationOptions options(Topology topology) {
        Settings.Builder settings = Settings.builder();
        new Variant(mode, scope, Math.min(groupSize, topology.nodeCount()), mayGoDirect).settings()
            .forEach(settings::set);
        return CooperationOptions.of(settings.set("cooperation.server-bytes", "1024g").build(), topology);
    }

    /** The settings that make a job cooperate so. */
    Map<String, String> settings() {
        Map<String, String> settings = new HashMap<>(Map.of("cooperation.mode", mode, "cooperation.scope", scope,
            "cooperation.group-size", Integer.toString(groupSize)));
        if (!mayGoDirect) {
            settings.put("cooperation.direct-connections", "0");
        }
        return settings;
    }

    boolean isNone() {
        return mode.equals("none");
    }

    @Override
    public String toString() {
        return isNone() ? mode : mode + ", " + scope + (mayGoDirect ? "" : ", routed");
    }
}

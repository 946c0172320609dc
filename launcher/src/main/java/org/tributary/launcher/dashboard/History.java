package org.tributary.launcher.dashboard;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tributary.launcher.step.NodeRates.Rate;

/** Rates of the last minutes, for pages that are opened later. Owned by the event loop of the page. */
final class History {
    /** Ten minutes. */
    static final int MOST_STEPS = 600;

    private final Deque<Long> times = new ArrayDeque<>();
    private final Deque<Rate[]> rates = new ArrayDeque<>();

    void add(Step step) {
        times.addLast(step.timeMs());
        rates.addLast(OperationGroup.sums(step.digest().sums().operations()));
        if (times.size() > MOST_STEPS) {
            times.removeFirst();
            rates.removeFirst();
        }
    }

    /** For the page: times, and for each group of operations requests and bytes a second. */
    Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("groups", Arrays.stream(OperationGroup.values()).map(OperationGroup::label).toList());
        fields.put("times", List.copyOf(times));
        List<List<Long>> requests = new ArrayList<>();
        List<List<Long>> bytes = new ArrayList<>();
        for (OperationGroup group : OperationGroup.values()) {
            requests.add(rates.stream().map(of -> Math.round(of[group.ordinal()].requests())).toList());
            bytes.add(rates.stream().map(of -> Math.round(of[group.ordinal()].bytes())).toList());
        }
        fields.put("requests", requests);
        fields.put("bytes", bytes);
        return fields;
    }
}

package org.tributary.launcher.trace;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One time for all ranks. Ranks of one machine share CLOCK_MONOTONIC, so their times are compared exactly; those of
 * several machines as well as the machines' clocks agree (CLOCK_REALTIME).
 */
final class Timeline {
    /** From CLOCK_MONOTONIC of a machine to CLOCK_REALTIME: one for all of its ranks. */
    private final Map<String, Long> toReal = new HashMap<>();
    private final long startNs;

    Timeline(List<TraceFile> files) {
        files.stream().sorted(Comparator.comparingInt(TraceFile::rank))
            .forEach(file -> toReal.putIfAbsent(file.boot(), file.realNs() - file.monotonicNs()));
        startNs = files.stream().mapToLong(file -> file.monotonicNs() + toReal.get(file.boot())).min().orElse(0);
    }

    /** Since the first rank attached, of a time of CLOCK_MONOTONIC of a rank's machine. */
    long sinceStartNs(TraceFile of, long monotonicNs) {
        return monotonicNs + toReal.get(of.boot()) - startNs;
    }

    int machines() {
        return toReal.size();
    }
}

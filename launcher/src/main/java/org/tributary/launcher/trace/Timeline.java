package org.tributary.launcher.trace;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * One time for all ranks. Ranks of one machine share CLOCK_MONOTONIC, so their times are compared exactly; those of
 * several machines as well as the launcher could read their clocks ({@link Clocks}), or else as well as these agree
 * (CLOCK_REALTIME).
 */
final class Timeline {
    /** From CLOCK_MONOTONIC of a machine to CLOCK_REALTIME: one for all of its ranks. */
    private final Map<String, Long> toReal = new HashMap<>();
    /** Used when it has the clocks of all machines: two ways of comparing do not mix. */
    private final Clocks clocks;
    private final boolean areRead;
    private final long startNs;

    Timeline(List<TraceFile> files, Clocks clocks) {
        this.clocks = clocks;
        files.stream().sorted(Comparator.comparingInt(TraceFile::rank))
            .forEach(file -> toReal.putIfAbsent(file.boot(), file.realNs() - file.monotonicNs()));
        areRead = toReal.keySet().stream().allMatch(clocks::has);
        startNs = files.stream().mapToLong(file -> common(file, file.monotonicNs())).min().orElse(0);
    }

    /** Since the first rank attached, of a time of CLOCK_MONOTONIC of a rank's machine. */
    long sinceStartNs(TraceFile of, long monotonicNs) {
        return common(of, monotonicNs) - startNs;
    }

    private long common(TraceFile of, long monotonicNs) {
        return areRead ? clocks.ofLauncher(of.boot(), monotonicNs) : monotonicNs + toReal.get(of.boot());
    }

    int machines() {
        return toReal.size();
    }

    /** How far apart two times of different machines that are shown as one may be, if that is known. */
    OptionalLong errorNs() {
        return areRead ? OptionalLong.of(toReal.keySet().stream().map(clocks::errorNs)
            .sorted(Comparator.reverseOrder()).limit(2).mapToLong(Long::longValue).sum()) : OptionalLong.empty();
    }
}

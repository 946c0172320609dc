package org.tributary.benchmarks.onesided;

import java.util.List;
import java.util.Optional;
import org.tributary.benchmarks.limits.Limit;
import org.tributary.benchmarks.limits.RawLimits;
import org.tributary.benchmarks.measure.Sample;

/** Chooses what a measurement is compared with, and compares. */
final class Comparison {
    private static final double NONE = Double.NaN;

    private final RawLimits limits;

    Comparison(RawLimits limits) {
        this.limits = limits;
    }

    /**
     * The result of a case; {@code before} are the results so far, among them the contiguous form of a strided case.
     */
    Result compare(Case of, Sample sample, List<Result> before) {
        if (of.op() != of.op().contiguous()) {
            return againstContiguous(of, sample, before);
        }
        boolean remote = of.route() == Route.REMOTE;
        if (of.isComparedByBandwidth()) {
            return againstBandwidth(of, sample, remote ? limits.stream() : Optional.of(limits.memoryCopy()));
        }
        if (remote && !of.op().isWindow()) {
            return againstTime(of, sample, limits.spinning());
        }
        return new Result(of, sample, null, NONE);
    }

    private static Result againstContiguous(Case of, Sample sample, List<Result> before) {
        Result contiguous = before.stream().filter(result -> result.of().isContiguousFormOf(of)).findFirst()
            .orElseThrow(() -> new IllegalStateException("no contiguous form of " + of + " was measured before it"));
        return new Result(of, sample, "contiguous " + contiguous.of().op(),
            (double) sample.medianNs() / contiguous.sample().medianNs());
    }

    private static Result againstBandwidth(Case of, Sample sample, Optional<Limit> limit) {
        return new Result(of, sample, limit.map(Limit::name).orElse(null),
            limit.map(l -> Result.mbPerSecond(of, sample) / l.mbPerSecond()).orElse(NONE));
    }

    private static Result againstTime(Case of, Sample sample, Optional<Limit> limit) {
        return new Result(of, sample, limit.map(Limit::name).orElse(null),
            limit.map(l -> (double) sample.medianNs() / l.sample().medianNs()).orElse(NONE));
    }
}

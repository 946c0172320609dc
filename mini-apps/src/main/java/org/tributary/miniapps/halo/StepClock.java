package org.tributary.miniapps.halo;

import java.util.Map;
import org.tributary.client.Gas;
import org.tributary.miniapps.Report;
import org.tributary.miniapps.exchange.Exchange;
import org.tributary.miniapps.exchange.Neighbourhood;
import org.tributary.wire.shape.ReduceOp;

/** Adds up how long steps take and how much of that the calls of an exchange; the first steps do not count. */
final class StepClock {
    private final int warmup;
    private int steps;
    private long stepNs;
    private long exchangeNs;
    private long startNs;
    private long exchangeInStepNs;

    StepClock(int warmup) {
        this.warmup = warmup;
    }

    void beginStep() {
        exchangeInStepNs = 0;
        startNs = System.nanoTime();
    }

    void issue(Exchange exchange) {
        long callNs = System.nanoTime();
        exchange.issue();
        exchangeInStepNs += System.nanoTime() - callNs;
    }

    void finish(Exchange exchange) {
        long callNs = System.nanoTime();
        exchange.finish();
        exchangeInStepNs += System.nanoTime() - callNs;
    }

    void endStep() {
        if (++steps > warmup) {
            stepNs += System.nanoTime() - startNs;
            exchangeNs += exchangeInStepNs;
        }
    }

    /** Prints the figures of the slowest rank, and adds them to others; collective. */
    void report(Gas gas, Report out, Neighbourhood neighbourhood, long bytesOfRank, Map<String, Object> figures) {
        long counted = steps - warmup;
        double[] seconds = {stepNs * 1e-9, exchangeNs * 1e-9};
        gas.world().allreduce(ReduceOp.MAX, seconds);
        double perSecond = gas.rankCount() * counted / seconds[0];
        out.line("%d steps in %.3f s: %.2f us a step, %.2f us of that in the exchange's calls", counted, seconds[0],
            seconds[0] / counted * 1e6, seconds[1] / counted * 1e6);
        out.line("%.0f messages/s, %.3f MB/s", perSecond * neighbourhood.count(), perSecond * bytesOfRank * 1e-6);
        figures.put("steps", counted);
        figures.put("seconds", seconds[0]);
        figures.put("secondsInExchange", seconds[1]);
        figures.put("messagesPerSecond", perSecond * neighbourhood.count());
        figures.put("megabytesPerSecond", perSecond * bytesOfRank * 1e-6);
    }
}

package org.tributary.launcher.step;

import java.util.Comparator;
import java.util.List;
import org.tributary.launcher.step.NodeRates.Rate;
import org.tributary.wire.status.NodeSnapshot;
import org.tributary.wire.status.ProcessState;
import org.tributary.wire.status.ServerGauge;

/**
 * A node in the list of nodes.
 *
 * @param pid      of its server
 * @param ranks    that it has
 * @param attached of which so many take part
 * @param gauges   by the code of {@link ServerGauge}
 */
public record NodeLine(int node, ProcessState server, long pid, int ranks, int attached, Rate rate,
                       List<Long> gauges) {
    /** Nodes whose server does not run come first, then the busiest. */
    public static final Comparator<NodeLine> BUSIEST = Comparator
        .comparing((NodeLine line) -> line.server == ProcessState.RUNS)
        .thenComparingDouble(line -> -line.rate.requests()).thenComparingInt(NodeLine::node);

    public NodeLine {
        gauges = List.copyOf(gauges);
    }

    static NodeLine of(NodeSnapshot node, Rate rate) {
        return new NodeLine(node.status().node(), node.status().server(), node.status().serverPid(),
            node.status().ranks().size(), (int) node.status().attached(), rate, node.counts().gauges());
    }

    /** A value, 0 when it was not told. */
    public long gauge(ServerGauge gauge) {
        return gauge.ordinal() < gauges.size() ? gauges.get(gauge.ordinal()) : 0;
    }
}

package org.tributary.benchmarks.measure;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.tributary.config.Settings;
import org.tributary.config.Topology;

/** Where and when results were obtained: the first line of a result file. */
public final class RunDescription {
    private RunDescription() {
    }

    /** For the job of the calling rank. */
    public static JsonObject of(String benchmark, Topology topology, Settings settings) {
        return new JsonObject().put("benchmark", benchmark)
            .put("time", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString())
            .put("commit", SourceVersion.find())
            .put("jvm", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"))
            .put("cpus", Runtime.getRuntime().availableProcessors())
            .put("nodes", topology.nodeCount()).put("ranks", topology.rankCount())
            .put("preset", settings.waitPreset().name().toLowerCase(java.util.Locale.ROOT));
    }
}

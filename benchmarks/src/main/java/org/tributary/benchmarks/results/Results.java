package org.tributary.benchmarks.results;

import java.util.List;

/**
 * A file of results, {@code NAME.json}.
 *
 * @param kind        {@code benchmark}, or {@code campaign} for what is no measurement of speed
 * @param shows       what can be seen, in one or two sentences
 * @param method      how the figures came about, as the benchmark says it; may be null
 * @param commit      null when every table says it by row
 * @param date        of the measurement (ISO 8601), null when unknown
 * @param transcribed whether the figures were copied from a terminal, not written by a benchmark
 * @param notes       paragraphs in Markdown, by hand; may be null
 */
public record Results(String name, String kind, String title, String shows, String method, String commit, String date,
                      String machine, String command, Boolean transcribed, List<Table> tables, List<String> notes) {
    static final String BENCHMARK = "benchmark";
    static final String CAMPAIGN = "campaign";
    static final List<String> KINDS = List.of(BENCHMARK, CAMPAIGN);

    boolean isTranscribed() {
        return Boolean.TRUE.equals(transcribed);
    }
}

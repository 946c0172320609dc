package org.tributary.benchmarks.observe;

import java.nio.file.Path;
import java.util.List;

/** How a job is watched. */
enum Watching {
    NOT, BY_PAGE, BY_TRACE;

    /** Of {@code tributary run}. */
    List<String> options(Path traces) {
        return switch (this) {
            case NOT -> List.of();
            case BY_PAGE -> List.of("--dashboard");
            case BY_TRACE -> List.of("--trace", traces.toString());
        };
    }
}

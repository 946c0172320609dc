package org.tributary.launcher.status;

import java.util.List;
import java.util.stream.Stream;
import org.tributary.wire.status.JobStatus;

/**
 * A job as it was when it was looked at.
 *
 * @param problems what could not be read, one a line
 */
public record JobReading(String id, JobStatus status, List<String> problems) {
    public JobReading {
        problems = List.copyOf(problems);
    }

    /** The same with more problems. */
    public JobReading with(List<String> more) {
        return new JobReading(id, status, Stream.concat(problems.stream(), more.stream()).toList());
    }
}

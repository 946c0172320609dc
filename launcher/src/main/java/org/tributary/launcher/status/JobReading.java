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

    /** The same with one problem more. */
    public JobReading with(String problem) {
        return new JobReading(id, status, Stream.concat(problems.stream(), Stream.of(problem)).toList());
    }
}

package org.tributary.launcher.status;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.tributary.launcher.step.Asked;
import org.tributary.wire.status.JobStatus;
import org.tributary.wire.status.NodeStatus.Rank;

/** A running job to be looked at, wherever its nodes are. No call waits without limit. Thread-safe. */
public interface JobView {
    /**
     * The job as it is now, as far as it can be known.
     *
     * @throws IOException when nothing can be known
     */
    JobReading read() throws IOException, InterruptedException;

    /**
     * Its nodes with what they have counted, for a page that shows the job. It is bounded: of a large job agents tell
     * sums, and otherwise a node of many pairs tells the {@link BusiestPairs busiest}.
     *
     * @throws IOException when nothing can be known
     */
    JobStep step(Asked asked) throws IOException, InterruptedException;

    /**
     * Where the threads of ranks are, in lines by rank; ranks that cannot be looked at are left out.
     *
     * @param job     that {@link #read} has shown
     * @param limitNs how long to wait for each; all are taken at once
     */
    Map<Integer, List<String>> stacks(JobStatus job, Collection<Rank> ranks, long limitNs)
        throws IOException, InterruptedException;
}

package org.tributary.launcher.job;

import java.util.List;
import java.util.Map;
import org.tributary.config.Settings;
import org.tributary.config.Topology;

/**
 * The plan of a job, checked before anything starts.
 *
 * @param serverCommand starts a supervised server
 * @param rankCommand   starts a rank; the same for all of them
 * @param userVariables the environment that ranks get besides the launcher's own
 * @param prefixed      whether each line of output begins with the name of the process
 * @param timeoutNs     after which the job is ended, with all its restarts; 0 for never
 */
public record JobPlan(Topology topology, Settings settings, List<String> serverCommand, List<String> rankCommand,
                      Map<String, String> userVariables, boolean prefixed, long timeoutNs, boolean verbose) {
    public JobPlan {
        serverCommand = List.copyOf(serverCommand);
        rankCommand = List.copyOf(rankCommand);
        userVariables = Map.copyOf(userVariables);
    }
}

package org.tributary.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Reads a {@link JobEnvironment} from variables and collects every problem on the way. Used once and thrown away. */
final class JobEnvironmentReader {
    static final int MAX_JOB_ID_BYTES = 32;
    private static final Pattern JOB_ID = Pattern.compile("[A-Za-z0-9._-]{1," + MAX_JOB_ID_BYTES + "}");
    /** An MPI launcher inside a Slurm job sets its own variables right and leaves Slurm's at those of its daemon. */
    private static final List<String> RANK_VARIABLES =
        List.of(JobVariables.RANK, "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID");
    private static final List<String> NODE_VARIABLES = List.of(JobVariables.NODE, "SLURM_NODEID");

    final Map<String, String> environment;
    final List<String> problems = new ArrayList<>();
    String jobId;
    byte[] secret;
    Path secretFile;
    Topology topology;
    int node = -1;
    int rank = -1;
    ServerAddresses servers = ServerAddresses.none();
    boolean supervised;
    Path trace;
    private boolean isIncomplete;

    JobEnvironmentReader(Map<String, String> environment) {
        this.environment = environment;
    }

    JobEnvironmentReader readServer() {
        readJob();
        node = number(NODE_VARIABLES, topology == null ? Integer.MAX_VALUE : topology.nodeCount(), "nodes");
        return finish();
    }

    JobEnvironmentReader readRank() {
        readJob();
        rank = number(RANK_VARIABLES, topology == null ? Integer.MAX_VALUE : topology.rankCount(), "ranks");
        if (topology != null && rank >= 0) {
            node = topology.nodeOf(rank);
            String given = text(JobVariables.NODE);
            if (given != null && !given.equals(Integer.toString(node))) {
                problems.add(JobVariables.NODE + "=" + given + ", but rank " + rank + " is on node " + node
                    + " in the layout " + topology.shortened());
            }
        }
        readTrace();
        if (isIncomplete) {
            problems.add("set all variables of a job (docs: Job scripts), or none of them and start the program with"
                + " `tributary run`, `srun --mpi=pmi2` or `mpirun`");
        }
        return finish();
    }

    private JobEnvironmentReader finish() {
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
        return this;
    }

    private void readJob() {
        jobId = required(JobVariables.JOB_ID);
        if (jobId != null && !JOB_ID.matcher(jobId).matches()) {
            problems.add(JobVariables.JOB_ID + "='" + jobId
                + "' is not 1 to 32 letters, digits, dots, underscores or hyphens");
        }
        readSecret();
        String layout = required(JobVariables.LAYOUT);
        if (layout != null) {
            attempt(JobVariables.LAYOUT, () -> topology = Topology.parse(layout));
        }
        readServers();
        String flag = text(JobVariables.SUPERVISED);
        supervised = "1".equals(flag);
        if (flag != null && !supervised && !flag.equals("0")) {
            problems.add(JobVariables.SUPERVISED + "='" + flag + "' is neither 0 nor 1");
        }
    }

    private void readSecret() {
        String hex = text(JobVariables.SECRET);
        String file = text(JobVariables.SECRET_FILE);
        if (hex != null && file != null) {
            problems.add(JobVariables.SECRET + " and " + JobVariables.SECRET_FILE + " are both set; give one");
        } else if (hex != null) {
            attempt(JobVariables.SECRET, () -> secret = Secrets.parse(hex));
        } else if (file != null) {
            attempt(JobVariables.SECRET_FILE, () -> {
                secretFile = Path.of(file).toAbsolutePath();
                secret = Secrets.read(secretFile);
            });
        } else {
            isIncomplete = true;
            problems.add(JobVariables.SECRET + " or " + JobVariables.SECRET_FILE + " is needed and neither is set");
        }
    }

    private void readTrace() {
        String folder = text(JobVariables.TRACE);
        if (folder != null) {
            attempt(JobVariables.TRACE, () -> trace = (Path) Kind.path().parse(folder));
        }
    }

    private void readServers() {
        String list = text(JobVariables.SERVERS);
        String file = text(JobVariables.SERVERS_FILE);
        if (list != null && file != null) {
            problems.add(JobVariables.SERVERS + " and " + JobVariables.SERVERS_FILE + " are both set; give one");
        } else if (topology == null) {
            return;
        } else if (list != null) {
            attempt(JobVariables.SERVERS,
                () -> servers = ServerAddresses.of(List.of(list.split(",", -1)), topology.nodeCount()));
        } else if (file != null) {
            attempt(JobVariables.SERVERS_FILE,
                () -> servers = ServerAddresses.inFile(Path.of(file).toAbsolutePath(), topology.nodeCount()));
        } else if (topology.nodeCount() > 1) {
            problems.add(JobVariables.SERVERS + " or " + JobVariables.SERVERS_FILE + " is needed by a job of "
                + topology.nodeCount() + " nodes and neither is set");
        }
    }

    private int number(List<String> variables, int limit, String what) {
        for (String variable : variables) {
            String value = text(variable);
            if (value != null) {
                return number(variable, value, limit, what);
            }
        }
        isIncomplete = true;
        problems.add(variables.getFirst() + " is needed and not set (nor "
            + String.join(", ", variables.subList(1, variables.size())) + ")");
        return -1;
    }

    private int number(String variable, String value, int limit, String what) {
        try {
            int number = Integer.parseInt(value);
            if (number >= 0 && number < limit) {
                return number;
            }
            problems.add(variable + "=" + value + " is outside the job's " + limit + " " + what);
        } catch (NumberFormatException e) {
            problems.add(variable + "='" + value + "' is not a number");
        }
        return -1;
    }

    private String required(String variable) {
        String value = text(variable);
        if (value == null) {
            isIncomplete = true;
            problems.add(variable + " is needed and not set");
        }
        return value;
    }

    private String text(String variable) {
        String value = environment.get(variable);
        return value == null || value.isBlank() ? null : value.strip();
    }

    private void attempt(String variable, Runnable step) {
        try {
            step.run();
        } catch (ConfigException e) {
            problems.add(variable + ": " + e.getMessage());
        }
    }
}

package org.tributary.config;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The environment variables by which a server or rank learns its place in a job; settings have variables of their own.
 */
public final class JobVariables {
    public static final String PREFIX = "TRIBUTARY_";
    public static final String JOB_ID = "TRIBUTARY_JOB_ID";
    public static final String SECRET = "TRIBUTARY_SECRET";
    public static final String SECRET_FILE = "TRIBUTARY_SECRET_FILE";
    public static final String LAYOUT = "TRIBUTARY_LAYOUT";
    public static final String NODE = "TRIBUTARY_NODE";
    public static final String RANK = "TRIBUTARY_RANK";
    public static final String SERVERS = "TRIBUTARY_SERVERS";
    public static final String SERVERS_FILE = "TRIBUTARY_SERVERS_FILE";
    public static final String SUPERVISED = "TRIBUTARY_SUPERVISED";
    public static final String JAVA_HOME = "TRIBUTARY_JAVA_HOME";
    public static final String TRACE = "TRIBUTARY_TRACE";
    public static final String PROGRESS = "TRIBUTARY_PROGRESS";
    /** The value of {@link #PROGRESS}. */
    public static final String PASSING = "passing";
    public static final String NODES = "TRIBUTARY_NODES";
    public static final String HOME = "TRIBUTARY_HOME";

    private JobVariables() {
    }

    /** Every job variable with what it holds, in the order of the reference page. */
    public static Map<String, String> describe() {
        Map<String, String> docs = new LinkedHashMap<>();
        docs.put(JOB_ID, "The job's name, 1 to 32 of `A-Z a-z 0-9 . _ -`; the same for all of a job.");
        docs.put(SECRET, "The job's secret in hexadecimal, at least 16 bytes; the same for all of a job.");
        docs.put(SECRET_FILE, "Instead of " + code(SECRET) + ": a file that holds it, readable by its owner alone.");
        docs.put(LAYOUT, "The node of each rank. Block order is a comma-separated list of `[nodes*]ranks`, such as"
            + " `2*4` or `3,2,2`, or `4(x2)` as Slurm writes it; `cyclic:2*4` deals ranks to the nodes in turn,"
            + " `cyclic(2):2*4` two at a time; `map:[ranks*]node,…`, such as `map:2*0,1,0`, lists nodes by rank.");
        docs.put(NODE, "The node of this process, from 0. A server without it takes `SLURM_NODEID`;"
            + " a rank's node follows from its rank.");
        docs.put(RANK, "The rank of this process, from 0. Without it, the first of `OMPI_COMM_WORLD_RANK`, `PMI_RANK`"
            + " and `SLURM_PROCID` that is set. It is to run on the node where " + code(LAYOUT) + " puts it.");
        docs.put(SERVERS, "The addresses of the servers by node: `host:port,host:port`; IPv6 as `[address]:port`."
            + " Not needed by a job of one node.");
        docs.put(SERVERS_FILE, "Instead of " + code(SERVERS) + ": a file with one address a line,"
            + " which may be completed after its readers have started.");
        docs.put(SUPERVISED, "`1` in processes started by `tributary run`; not set by hand.");
        docs.put(TRACE, "The absolute path of a folder in which each rank records its operations and waits;"
            + " `tributary run --trace` sets it.");
        docs.put(PROGRESS, code(PASSING) + " where `tributary run` shows a line of a rank that begins with a carriage"
            + " return only until the next one, as on a terminal.");
        docs.put(NODES, "Nodes into which the ranks of `mpirun` or `srun` are divided, in order; otherwise each machine"
            + " is a node.");
        docs.put(HOME, "The folder with the command `tributary`, or with `bin/tributary` as a release has it, with"
            + " which ranks of `mpirun` or `srun`, and a process that nobody has launched, start servers.");
        docs.put(JAVA_HOME, "The JDK that the `tributary` command runs on, where it should not find one itself.");
        return docs;
    }

    private static String code(String name) {
        return "`" + name + "`";
    }
}

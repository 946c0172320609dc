package org.tributary.client.bootstrap;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.tributary.config.HostFacts;
import org.tributary.config.JobVariables;
import org.tributary.config.NetworkEncryption;
import org.tributary.config.Settings;
import org.tributary.wire.Agreement;

/**
 * Facts about a rank that it tells rank 0 before there is a job.
 *
 * @param release   of Tributary, as processes compare it
 * @param machine   {@link HostFacts#machine} for shm.directory
 * @param node      TRIBUTARY_NODE, or -1
 * @param nodes     TRIBUTARY_NODES, or 0
 * @param encrypted whether network.encryption is set
 * @param hasSecret whether TRIBUTARY_SECRET_FILE is set
 * @param problem   what is wrong with its variables, or empty
 */
record Self(String release, String machine, int node, int nodes, boolean encrypted, boolean hasSecret,
    String problem) {
    private static final int FIELDS = 7;
    private static final int MOST_NODES = 1_000_000;

    /** With what is wrong with its settings, or empty. */
    static Self of(Map<String, String> environment, Settings settings, String wrong) {
        String problem = wrong;
        int node = -1;
        int nodes = 0;
        try {
            node = number(environment, JobVariables.NODE, 0, -1);
            nodes = number(environment, JobVariables.NODES, 1, 0);
        } catch (IllegalArgumentException e) {
            problem = wrong.isEmpty() ? e.getMessage() : wrong;
        }
        return new Self(Agreement.release(), HostFacts.machine(settings.shmDirectory()), node, nodes,
            settings.networkEncryption() != NetworkEncryption.NONE, secretFile(environment) != null, problem);
    }

    /** TRIBUTARY_SECRET_FILE, or null. */
    static String secretFile(Map<String, String> environment) {
        String file = environment.get(JobVariables.SECRET_FILE);
        return file == null || file.isBlank() ? null : file.strip();
    }

    private static int number(Map<String, String> environment, String variable, int least, int otherwise) {
        String text = environment.get(variable);
        if (text == null || text.isBlank()) {
            return otherwise;
        }
        try {
            int number = Integer.parseInt(text.strip());
            if (number >= least && number <= MOST_NODES) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(variable + "='" + text + "' is not a number", e);
        }
        throw new IllegalArgumentException(variable + "=" + text + " is not a number from " + least + " to "
                + MOST_NODES);
    }

    /** For messages. */
    String host() {
        return machine.substring(0, machine.indexOf(' '));
    }

    String encode() {
        return Fields.join(release, machine, Integer.toString(node), Integer.toString(nodes), encrypted ? "1" : "0",
            hasSecret ? "1" : "0", problem);
    }

    static Self decode(String text) throws IOException {
        List<String> fields = Fields.split(text, FIELDS);
        try {
            return new Self(fields.get(0), fields.get(1), Integer.parseInt(fields.get(2)),
                Integer.parseInt(fields.get(3)), fields.get(4).equals("1"), fields.get(5).equals("1"), fields.get(6));
        } catch (NumberFormatException e) {
            throw new IOException("'" + text + "' is not what a rank says of itself", e);
        }
    }
}

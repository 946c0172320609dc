package org.tributary.client.bootstrap;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.tributary.config.Topology;

/**
 * Decisions of rank 0 about a job, of which it tells all ranks.
 *
 * @param secret     random, or empty when {@code secretFile} has it
 * @param secretFile of this rank, or null; not told
 */
record Plan(String jobId, byte[] secret, String layout, boolean oneMachine, String secretFile) {
    private static final int SECRET_BYTES = 32;
    private static final int FIELDS = 5;
    /** The first field of what ranks are told: nothing, or something, has gone wrong. */
    static final String GOOD = "ok";
    static final String BAD = "no";
    /** Names of jobs begin with that, of one rank and of several. */
    private static final String ALONE = "alone";
    private static final String RANKS = "ranks";

    /** Rank 0's, from what all ranks say of themselves; in the form in which ranks are told. */
    static String make(List<String> selves) throws IOException {
        try {
            List<Self> all = new ArrayList<>();
            for (String text : selves) {
                all.add(Self.decode(text));
            }
            Nodes nodes = Nodes.of(all);
            SecureRandom random = new SecureRandom();
            byte[] secret = new byte[all.getFirst().hasSecret() ? 0 : SECRET_BYTES];
            random.nextBytes(secret);
            String id = (all.size() == 1 ? ALONE : RANKS) + "-" + ProcessHandle.current().pid() + "-"
                + HexFormat.of().toHexDigits(random.nextInt());
            return Fields.join(GOOD, id, HexFormat.of().formatHex(secret), nodes.layout(),
                nodes.areOfOneMachine() ? "1" : "0");
        } catch (IllegalArgumentException e) {
            return Fields.join(BAD, e.getMessage(), "", "", "");
        }
    }

    static Plan read(String text, String secretFile) throws IOException {
        List<String> fields = Fields.split(text, FIELDS);
        if (!fields.getFirst().equals(GOOD)) {
            throw new AgreedFailure(fields.get(1));
        }
        return new Plan(fields.get(1), HexFormat.of().parseHex(fields.get(2)), fields.get(3),
            fields.get(4).equals("1"), secretFile);
    }

    Topology topology() {
        return Topology.parse(layout);
    }
}

package org.tributary.it;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.tributary.config.Topology;

/**
 * One job of the campaign and what befalls it, all drawn from one seed, so that the seed repeats it.
 *
 * @param launcher   whether {@code tributary run} starts it on one host; otherwise the agents of three hosts do
 * @param ranks      how many ranks each node has
 * @param inTurn     ranks are dealt to the nodes in turn; otherwise they are in block order
 * @param inC        which ranks are programs in C
 * @param rounds     of the program
 * @param phase      from when the delay before the blow counts
 * @param delayMs    from the beginning of the phase to the blow
 */
record CampaignPlan(long seed, boolean launcher, int[] ranks, boolean inTurn, boolean[] inC, String mode, String scope,
                    int rounds, Phase phase, int delayMs, Blow blow, List<Victim> victims) {
    static final int NODES = 3;
    static final int PAUSE_MS = 20;
    static final int STOPPED_MS = 10_000;
    private static final List<String> MODES = List.of("none", "forward", "aggregate", "combine");
    private static final int START_MS = 1500;
    private static final int RUN_MS = 1200;
    private static final int END_MS = 120;

    /** Parts of a job's life. */
    enum Phase { START, RUNNING, END }

    /** What befalls the victims. */
    enum Blow { KILL, STOP, CUT, POWER }

    /** Who can be hit. */
    enum Kind { RANK, SERVER, AGENT, LAUNCHER, HOST }

    /** One of them; the number counts ranks or nodes. */
    record Victim(Kind kind, int number) {
    }

    /** The job of that seed. {@code cAvailable}: the programs in C have been built. */
    static CampaignPlan of(long seed, boolean cAvailable) {
        SplittableRandom random = new SplittableRandom(seed);
        boolean launcher = random.nextInt(4) == 0;
        int[] ranks = new int[NODES];
        int count = 0;
        for (int node = 0; node < NODES; node++) {
            ranks[node] = random.nextInt(3) == 0 ? 2 : 1;
            count += ranks[node];
        }
        boolean[] inC = new boolean[count];
        int language = random.nextInt(3); // Java, C, both
        for (int rank = 0; rank < count; rank++) {
            boolean coin = random.nextBoolean();
            // What one launcher starts is one command.
            inC[rank] = cAvailable && (language == 1 || language == 2 && coin && !launcher);
        }
        String mode = MODES.get(random.nextInt(MODES.size()));
        String scope = random.nextBoolean() ? "process" : "node";
        Phase phase = Phase.values()[random.nextInt(Phase.values().length)];
        int delay = random.nextInt(phase == Phase.START ? START_MS : phase == Phase.RUNNING ? RUN_MS : END_MS);
        Blow blow = blow(random, launcher);
        int rounds = 30 + random.nextInt(30);
        List<Victim> victims = victims(random, launcher, blow, count);
        return new CampaignPlan(seed, launcher, ranks, random.nextBoolean(), inC, mode, scope, rounds, phase, delay,
            blow, victims);
    }

    private static Blow blow(SplittableRandom random, boolean launcher) {
        int draw = random.nextInt(10);
        if (draw < 5) {
            return Blow.KILL;
        }
        return draw < 7 || launcher ? Blow.STOP : draw < 9 ? Blow.CUT : Blow.POWER;
    }

    private static List<Victim> victims(SplittableRandom random, boolean launcher, Blow blow, int ranks) {
        if (blow == Blow.CUT || blow == Blow.POWER) {
            return List.of(new Victim(Kind.HOST, random.nextInt(NODES)));
        }
        int count = random.nextInt(4) == 0 ? 2 : 1;
        List<Victim> victims = new ArrayList<>();
        while (victims.size() < count) {
            Victim victim = switch (random.nextInt(5)) {
                case 0, 1 -> new Victim(Kind.RANK, random.nextInt(ranks));
                case 2, 3 -> new Victim(Kind.SERVER, random.nextInt(NODES));
                default -> launcher ? new Victim(Kind.LAUNCHER, 0) : new Victim(Kind.AGENT, random.nextInt(NODES));
            };
            if (!victims.contains(victim)) {
                victims.add(victim);
            }
        }
        return victims;
    }

    /** Whether it is one victim of that kind that is hit so, while all ranks run. */
    boolean isOne(Blow ofBlow, Kind ofKind) {
        return phase == Phase.RUNNING && blow == ofBlow && victims.size() == 1 && victims.getFirst().kind() == ofKind;
    }

    int rankCount() {
        return inC.length;
    }

    int nodeOf(int rank) {
        return Topology.parse(layout()).nodeOf(rank);
    }

    String layout() {
        return (inTurn ? "cyclic:" : "") + ranks[0] + "," + ranks[1] + "," + ranks[2];
    }

    private String language() {
        int c = 0;
        for (boolean one : inC) {
            c += one ? 1 : 0;
        }
        return c == 0 ? "Java" : c == inC.length ? "C" : "Java and C";
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "seed %d: %s, layout %s, %s, %s/%s, %s %s %d ms into %s", seed,
            launcher ? "tributary run" : "job script", layout(), language(), mode, scope, blow, victims, delayMs,
            phase);
    }
}

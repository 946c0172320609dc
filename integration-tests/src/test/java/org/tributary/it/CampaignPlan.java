package org.tributary.it;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.tributary.config.Topology;
import org.tributary.fabric.Fabric;

/**
 * One job of the campaign and what befalls it, all drawn from one seed, so that the seed repeats it.
 *
 * @param start      who starts it, and on how many hosts
 * @param ranks      how many ranks each node has
 * @param inTurn     ranks are dealt to the nodes in turn; otherwise they are in block order
 * @param inC        which ranks are programs in C
 * @param traced     whether {@code tributary run} has the ranks record
 * @param shown      whether it shows the job on a page
 * @param encrypted  whether data between nodes is encrypted
 * @param adapter    whether a network adapter moves data and requests between nodes
 * @param rounds     of the program
 * @param phase      from when the delay before the blow counts
 * @param delayMs    from the beginning of the phase to the blow
 */
record CampaignPlan(long seed, Start start, int[] ranks, boolean inTurn, boolean[] inC, String mode, String scope,
                    boolean traced, boolean shown, boolean encrypted, boolean adapter, int rounds, Phase phase,
                    int delayMs, Blow blow, List<Victim> victims) {
    static final int NODES = 3;
    private static final int PAUSE_MS = 20;
    /** Ranks that send little have no channels. */
    private static final int BUSY_PAUSE_MS = 2;
    private static final int BUSY_ROUNDS = 5;
    static final int STOPPED_MS = 10_000;
    private static final List<String> MODES = List.of("none", "forward", "aggregate", "combine");
    /** Who is hit, by who has started the job. */
    private static final List<List<Kind>> KINDS = List.of(
        List.of(Kind.RANK, Kind.RANK, Kind.SERVER, Kind.SERVER, Kind.AGENT),
        List.of(Kind.RANK, Kind.RANK, Kind.SERVER, Kind.SERVER, Kind.LAUNCHER),
        List.of(Kind.RANK, Kind.SERVER, Kind.AGENT, Kind.AGENT, Kind.LAUNCHER));
    private static final int START_MS = 1500;
    /** Agents start first. */
    private static final int START_ON_HOSTS_MS = 5000;
    private static final int RUN_MS = 1200;
    private static final int END_MS = 120;

    /**
     * Who starts a job: a script on each of three hosts, as in a batch system; {@code tributary run} on one host; or
     * {@code tributary run --hosts} on three, by its agents.
     */
    enum Start { JOB_SCRIPT, RUN, RUN_ON_HOSTS }

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
        Start start = switch (random.nextInt(4)) {
            case 0 -> Start.RUN;
            case 1 -> Start.RUN_ON_HOSTS;
            default -> Start.JOB_SCRIPT;
        };
        boolean launcher = start != Start.JOB_SCRIPT;
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
        int startMs = start == Start.RUN_ON_HOSTS ? START_ON_HOSTS_MS : START_MS;
        int delay = random.nextInt(phase == Phase.START ? startMs : phase == Phase.RUNNING ? RUN_MS : END_MS);
        Blow blow = blow(random, start);
        int rounds = 30 + random.nextInt(30);
        List<Victim> victims = victims(random, start, blow, count);
        boolean inTurn = random.nextBoolean();
        boolean traced = launcher && random.nextInt(4) == 0;
        boolean shown = launcher && random.nextInt(4) == 0;
        boolean encrypted = random.nextInt(4) == 0;
        boolean adapter = random.nextInt(3) > 0 && mode.equals("none") && !encrypted
            && Fabric.load().isPresent();
        return new CampaignPlan(seed, start, ranks, inTurn, inC, mode, scope, traced, shown, encrypted, adapter,
            adapter ? BUSY_ROUNDS * rounds : rounds, phase, delay, blow, victims);
    }

    private static Blow blow(SplittableRandom random, Start start) {
        int draw = random.nextInt(10);
        if (draw < 5) {
            return Blow.KILL;
        }
        return draw < 7 || start == Start.RUN ? Blow.STOP : draw < 9 ? Blow.CUT : Blow.POWER;
    }

    private static List<Victim> victims(SplittableRandom random, Start start, Blow blow, int ranks) {
        if (blow == Blow.CUT || blow == Blow.POWER) {
            return List.of(new Victim(Kind.HOST, random.nextInt(NODES)));
        }
        int count = random.nextInt(4) == 0 ? 2 : 1;
        List<Victim> victims = new ArrayList<>();
        while (victims.size() < count) {
            Victim victim = switch (KINDS.get(start.ordinal()).get(random.nextInt(5))) {
                case RANK -> new Victim(Kind.RANK, random.nextInt(ranks));
                case LAUNCHER -> new Victim(Kind.LAUNCHER, 0);
                case SERVER -> new Victim(Kind.SERVER, random.nextInt(NODES));
                case AGENT -> new Victim(Kind.AGENT, random.nextInt(NODES));
                case HOST -> throw new IllegalStateException("hosts are cut off or lose power");
            };
            if (!victims.contains(victim)) {
                victims.add(victim);
            }
        }
        return victims;
    }

    /** Between two rounds. */
    int pauseMs() {
        return adapter ? BUSY_PAUSE_MS : PAUSE_MS;
    }

    /** Whether {@code tributary run} has started it. */
    boolean launcher() {
        return start != Start.JOB_SCRIPT;
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
        return String.format(Locale.ROOT, "seed %d: %s%s%s%s%s, layout %s, %s, %s/%s, %s %s %d ms into %s", seed,
            start, traced ? ", traced" : "", shown ? ", shown" : "", encrypted ? ", encrypted" : "",
            adapter ? ", adapter" : "", layout(),
            language(), mode, scope, blow, victims, delayMs, phase);
    }
}

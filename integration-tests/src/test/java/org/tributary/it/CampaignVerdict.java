package org.tributary.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.tributary.config.ProcessFiles;
import org.tributary.testsupport.LoggedErrors;

/** Runs one job of the campaign, strikes, and judges what comes of it. */
final class CampaignVerdict {
    static final int GRACE_S = 1;
    static final int SILENCE_S = 5;
    static final int CONNECT_S = 15;
    static final int ATTACH_S = 20;
    private static final double END_S = 5;
    private static final double WELL_S = 60;
    private static final double CLEAN_S = 60;
    private static final long POLL_NS = 20_000_000;
    private static final Pattern MESSAGE = Pattern.compile("tributary: .*|tributary server: .*|.*last error: .+\\)"
        + "|Exception in thread \"main\" org\\.tributary\\..*");
    private static final Pattern LOCK = Pattern.compile("lock-(\\d+)-.*");
    private static final Pattern UNCLEAR = Pattern.compile(".*(NullPointerException|IllegalStateException"
        + "|AssertionError|IndexOutOfBounds|BufferUnderflow|ClosedChannelException|OutOfMemoryError|SIGSEGV|SIGBUS"
        + "|StackOverflow|died of|\\), not -?\\d|is -?[0-9.E]+, not).*");

    private final CampaignPlan plan;
    private final CampaignHosts hosts;
    private final CampaignJob job;
    private final double slack;
    private final List<String> faults = new ArrayList<>();
    private boolean allAttached;
    private int struck;
    private double endedAfterS = -1;
    private boolean sweptLater;

    private CampaignVerdict(CampaignPlan plan, CampaignHosts hosts, CampaignJob job, double slack) {
        this.plan = plan;
        this.hosts = hosts;
        this.job = job;
        this.slack = slack;
    }

    /** What came of one job; no faults when all was as it must be. */
    record Outcome(CampaignPlan plan, List<String> faults, int struck, boolean endedWell, double endedAfterS,
                   boolean sweptLater, String transcript) {
    }

    /** {@code slack} multiplies the time that survivors have, for machines that do other things as well. */
    static Outcome of(CampaignPlan plan, CampaignHosts hosts, Path directory, String id, double slack)
        throws IOException, InterruptedException {
        try (CampaignJob job = new CampaignJob(plan, hosts, directory, id, slack)) {
            CampaignVerdict verdict = new CampaignVerdict(plan, hosts, job, slack);
            verdict.run();
            return new Outcome(plan, verdict.faults, verdict.struck, verdict.allRight(), verdict.endedAfterS,
                verdict.sweptLater, verdict.faults.isEmpty() ? "" : job.transcript());
        } finally {
            if (plan.blow() == CampaignPlan.Blow.CUT || plan.blow() == CampaignPlan.Blow.POWER) {
                hosts.connect(plan.victims().getFirst().number());
            }
        }
    }

    private void run() throws IOException, InterruptedException {
        job.start();
        boolean inTime = await(() -> phaseHasBegun() || job.hasEnded(), WELL_S * slack);
        if (!phaseHasBegun()) {
            faults.add("has not come to " + plan.phase() + (inTime ? " but ended before it" : " within "
                + WELL_S * slack + " s"));
            return;
        }
        await(() -> false, plan.delayMs() / 1e3);
        allAttached = job.ranksThatSaid("attached") == plan.rankCount();
        long struckNs = System.nanoTime();
        Instant struckAt = Instant.now();
        struck = job.strike();
        if (plan.blow() == CampaignPlan.Blow.STOP) {
            await(() -> false, CampaignPlan.STOPPED_MS / 1e3);
            job.goOn();
            struckNs = System.nanoTime();
        }
        double limitS = limitS() * slack;
        boolean ended = await(job::hasEnded, limitS);
        if (!ended && waitsForAttach()) { // attach.timeout begins when a survivor has started, on a busy machine later
            double lateS = Duration.between(struckAt, job.lastBegan()).toMillis() / 1e3;
            limitS += Math.max(0, lateS);
            ended = await(job::hasEnded, lateS);
        }
        endedAfterS = (System.nanoTime() - struckNs) / 1e9;
        if (!ended) {
            faults.add("runs on for more than " + limitS + " s: " + job.processes().stream().map(process ->
                process.pid() + " " + ProcessFiles.of(process).commandLine()).toList());
        }
        judgeMembers();
        judgeLeftovers();
    }

    private boolean phaseHasBegun() {
        return switch (plan.phase()) {
            case START -> true;
            case RUNNING -> job.ranksThatSaid("attached") == plan.rankCount();
            case END -> job.ranksThatSaid("right") > 0;
        };
    }

    private interface Condition {
        boolean holds() throws IOException;
    }

    private boolean await(Condition condition, double seconds) throws IOException {
        long deadlineNs = System.nanoTime() + (long) (seconds * 1e9);
        while (!condition.holds()) {
            if (System.nanoTime() > deadlineNs) {
                return false;
            }
            job.writeServersWhenReady();
            LockSupport.parkNanos(POLL_NS);
        }
        return true;
    }

    private boolean mustEndWell() {
        return struck == 0 || plan.blow() == CampaignPlan.Blow.STOP
            || allAttached && plan.start() == CampaignPlan.Start.JOB_SCRIPT
            && plan.victims().stream().allMatch(victim -> victim.kind() == CampaignPlan.Kind.AGENT);
    }

    private double limitS() {
        if (mustEndWell()) {
            return WELL_S;
        }
        double limitS = END_S + GRACE_S;
        if (isOfHost()) {
            limitS += SILENCE_S;
        }
        if (waitsForAttach()) {
            limitS += ATTACH_S; // without a launcher nobody sees the death of one that was not there yet
        } else if (!allAttached && isOfHost()) {
            limitS += 2 * ATTACH_S; // nor its silence: a server gives others twice the time then
        }
        return limitS;
    }

    private boolean waitsForAttach() {
        return !mustEndWell() && !allAttached && !plan.launcher();
    }

    private boolean isOfHost() {
        return plan.blow() == CampaignPlan.Blow.CUT || plan.blow() == CampaignPlan.Blow.POWER;
    }

    private boolean allRight() {
        return job.ranksThatSaid("right") == plan.rankCount();
    }

    private void judgeMembers() {
        if (mustEndWell() && !allRight()) {
            faults.add("has not ended with the right answer");
        }
        for (String name : job.members()) {
            int code = job.exitCode(name);
            if (job.wasHit(name) && plan.blow() != CampaignPlan.Blow.STOP || hitLauncher(name)) {
                continue;
            }
            String errors = job.said(name, "err");
            List<String> messages = errors.lines().filter(line -> MESSAGE.matcher(line).matches()
                && isOwn(name, line) && !line.contains("still wait")
                && !line.startsWith("tributary: dashboard: ")
                && !line.startsWith("tributary: collecting traces: ")).toList();
            errors.lines().filter(line -> UNCLEAR.matcher(line).matches() && !MESSAGE.matcher(line).matches())
                .findFirst().ifPresent(line -> faults.add(name + " says " + line));
            LoggedErrors.in(errors).stream().filter(error -> !MESSAGE.matcher(error.lines().findFirst().orElse(""))
                .matches()).forEach(error -> faults.add(name + " logs " + error));
            if (code > 128 && (messages.isEmpty() || !name.equals("launcher"))) { // whose code is that of a rank
                faults.add(name + " was killed by signal " + (code - 128));
            } else if (code > 0 && messages.isEmpty()) {
                faults.add(name + " ended with " + code + " and without a message");
            } else if (code == 0 && name.startsWith("rank") && !job.said(name, "out").contains("right")) {
                faults.add(name + " ended with 0 and without an answer");
            } else if (code > 0 && mustEndWell()) {
                faults.add(name + " ended with " + code + ": " + messages);
            }
            if (messages.size() > 1) {
                faults.add(name + " says more than one thing: " + messages);
            }
        }
    }

    /** The launcher's output has that of ranks and servers in it. */
    private static boolean isOwn(String name, String line) {
        return !name.equals("launcher") || line.startsWith("tributary: ");
    }

    private boolean hitLauncher(String name) {
        return name.equals("launcher") && plan.blow() != CampaignPlan.Blow.STOP
            && plan.victims().stream().anyMatch(victim -> victim.kind() == CampaignPlan.Kind.LAUNCHER);
    }

    /** At the latest the next start removes what killed processes could not; here `tributary clean` stands for it. */
    private void judgeLeftovers() throws IOException, InterruptedException {
        for (int host = 0; host < CampaignPlan.NODES; host++) {
            if (left(host).isEmpty()) {
                continue;
            }
            sweptLater = true;
            List<String> command = Place.launcher();
            command.add("clean");
            Process clean = new ProcessBuilder(hosts.on(host, command)).redirectErrorStream(true)
                .redirectOutput(job.work().resolve("clean.out").toFile()).start();
            if (!clean.waitFor((long) CLEAN_S, TimeUnit.SECONDS)) {
                clean.destroyForcibly();
            }
            List<Path> left = left(host);
            if (!left.isEmpty()) {
                faults.add("left on host " + host + ": " + left);
            }
        }
    }

    private List<Path> left(int host) throws IOException {
        List<Path> left = new ArrayList<>(hosts.sharedMemory(host));
        if (plan.launcher() && host == 0) {
            try (Stream<Path> all = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
                all.filter(path -> path.getFileName().toString().startsWith("tributary-job-"))
                    .filter(this::isOfJob).forEach(left::add);
            }
        }
        return left;
    }

    private boolean isOfJob(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> LOCK.matcher(file.getFileName().toString())).anyMatch(lock -> lock.matches()
                && job.had(Long.parseLong(lock.group(1))));
        } catch (IOException e) {
            return false; // another job's, which is ending
        }
    }
}

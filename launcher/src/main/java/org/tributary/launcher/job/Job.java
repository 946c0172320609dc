package org.tributary.launcher.job;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.tributary.config.Shortage;
import org.tributary.wire.Deadline;
import org.tributary.wire.LongWait;

/**
 * Starts the servers, then the ranks, and sees the job to its end, whichever it is: all ranks exit with 0, something
 * fails, a signal arrives or time is up. Whatever happens, nothing of the job is left when {@link #run} returns.
 */
public final class Job {
    /** The subject of a problem: the layout of the job. */
    public static final String LAYOUT = "the layout";
    /** The subject of a problem: the machine that the launcher is on. */
    public static final String THIS_MACHINE = "this machine";

    private static final long IDLE_NS = TimeUnit.HOURS.toNanos(1);
    /** For the stacks of a report that was asked for: nobody has to wait for it. */
    private static final long REPORT_NS = TimeUnit.SECONDS.toNanos(30);
    /** The same when the job is about to be ended. */
    private static final long LAST_STACKS_NS = TimeUnit.SECONDS.toNanos(3);
    /** After which a job is ended with or without a report. */
    private static final long LAST_REPORT_NS = TimeUnit.SECONDS.toNanos(10);
    /** End of a server's message about a rank of whose end it knows no reason. */
    private static final String LEFT_UNSAID = ") ended without leaving the job";

    private final JobPlan plan;
    private final LineSink err;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final JobNodes nodes;
    private final ReadyServers servers;
    private final ReadyHosts hosts;
    private final long startNs = System.nanoTime();
    private final StartProgress starting;
    private final BitSet endedRanks = new BitSet();
    private final List<Event.ServerEnded> endedServers = new ArrayList<>();
    /** Null before the output of a server that has ended is waited for. */
    private Deadline lastOutput;

    private Phase phase = Phase.STARTING;
    /** Of a phase that may only last so long, in time in which this process runs; else null. */
    private Deadline phaseDeadline;
    /** When the job has lasted for as long as it may, by the clock. */
    private long timeIsUpNs;
    private Failure suspect;
    private final Times times;
    private final Watch watch;
    private final Closing closing;
    private boolean isLastReportDue;
    private boolean isReportAsked;
    private Deadline suspectDeadline;
    private int exitCode;
    private boolean hasLost;
    private boolean isInterrupted;
    private boolean isSignalled;
    /** There are processes that nothing ends. */
    private boolean isGivenUp;
    /** When a rank failed, of which the job is being ended, by the clock; else null. */
    private Long failureNs;

    /**
     * A job that has not started.
     *
     * @param nodes makes its nodes, which report to what they are given
     */
    public Job(JobPlan plan, Function<Consumer<Event>, JobNodes> nodes, LineSink err) {
        this(plan, nodes, err, new Times(LongWait.FIRST_NS, TimeUnit.SECONDS.toNanos(1), TimeUnit.SECONDS.toNanos(10),
            TimeUnit.SECONDS.toNanos(1)),
            Thread.ofPlatform().daemon().factory());
    }

    /** The same, with other times, and threads of those that look at the job. */
    Job(JobPlan plan, Function<Consumer<Event>, JobNodes> nodes, LineSink err, Times times, ThreadFactory threads) {
        this.times = times;
        this.plan = plan;
        this.err = err;
        this.nodes = nodes.apply(events::add);
        this.servers = new ReadyServers(plan.topology().nodeCount());
        this.hosts = new ReadyHosts(this.nodes.hosts());
        this.starting = new StartProgress(hosts, servers, err, startNs, times.noticeNs,
            seconds(plan.settings().attachTimeoutNs()));
        this.watch = new Watch(this.nodes.view(), events, threads);
        this.closing = new Closing(this.nodes, events, err);
        countTimeFrom(startNs);
    }

    /**
     * Counts the time after which the job is ended from {@code fromNs}, rather than from when this was made: a job that
     * is started anew has what the former ones have left. To be called before {@link #run}.
     */
    public void countTimeFrom(long fromNs) {
        timeIsUpNs = plan.timeoutNs() == 0 ? Long.MAX_VALUE : fromNs + plan.timeoutNs();
    }

    /**
     * May be called by any thread: interrupt, terminate and hang-up end the job, a second interrupt kills it. When all
     * has ended, they drop output that has not been written, and a second one gives up hosts. SIGUSR1 and SIGQUIT have
     * it say who waits for whom.
     */
    public void signal(int signal) {
        events.add(new Event.SignalReceived(signal));
        closing.signalAdded();
    }

    /** Whether nothing but the last output, and the end of agents, is awaited any more. */
    public boolean isClosing() {
        return closing.hasBegun();
    }

    /**
     * Something that is no host's keeps a job on hosts from starting: the job says so when all hosts have told their
     * problems. To be called before {@link #run}.
     *
     * @param whose {@link #LAYOUT} or {@link #THIS_MACHINE}
     */
    public void problem(String whose, String text) {
        hosts.problem(whose, text);
    }

    /**
     * Whether it ended while ranks ran because it had lost one of them, a server or a host, rather than because a rank
     * has exited with a code of its own, or somebody wanted the end. To be asked after {@link #run}.
     */
    public boolean hasLost() {
        return hasLost;
    }

    /** The exit code of the launcher: 0, the failed rank's, or one of {@link ExitCodes}. */
    public int run() throws InterruptedException, IOException {
        JobFiles.sweep();
        try {
            enter(Phase.STARTING, plan.settings().attachTimeoutNs());
            start(nodes::prepare);
            if (phase == Phase.STARTING && hosts.allAnswered()) {
                start(nodes::startServers);
            }
            while (!nodes.allEnded() && !isGivenUp) {
                Event event = events.poll(longestWaitNs(System.nanoTime()), TimeUnit.NANOSECONDS);
                if (event != null) {
                    handle(event);
                }
                checkDeadlines(System.nanoTime());
            }
            awaitLastWords();
            while (suspect != null && !events.isEmpty()) { // others stay for close, which looks for signals
                handle(events.remove());
            }
            if (suspect != null) {
                lost(suspect.exitCode, suspect.message);
            }
            verbose("job ended with code " + exitCode + " after " + seconds(System.nanoTime() - startNs));
        } finally {
            watch.close();
            exitCode = closing.run(exitCode, isSignalled);
        }
        return exitCode;
    }

    /** Servers may have told the reason of what has happened, and their ends have come before their words. */
    private void awaitLastWords() throws InterruptedException {
        if (suspect != null && suspect.source != Source.SERVER) {
            for (Event.ServerEnded ended : endedServers) {
                nodes.awaitWords(ended, lastOutputMs());
            }
        }
    }

    /** What is left of the time in which servers say their last, which they share: nothing else is done meanwhile. */
    private long lastOutputMs() {
        if (lastOutput == null) {
            lastOutput = Deadline.in(times.outputNs);
        }
        return TimeUnit.NANOSECONDS.toMillis(Math.max(0, lastOutput.leftNs()));
    }

    /** Where not all can be started, those that have been are ended, as after any other failure. */
    private void start(Starting processes) throws InterruptedException {
        try {
            processes.start();
        } catch (IOException e) {
            end(ExitCodes.FAILURE, ExitCodes.SIGTERM, e.getMessage());
        } catch (OutOfMemoryError e) {
            end(ExitCodes.FAILURE, ExitCodes.SIGTERM, "cannot start the processes of the job: " + Shortage.describe(e));
        }
    }

    private void handle(Event event) throws InterruptedException {
        switch (event) {
            case Event.HostReady ready -> hostReady(ready);
            case Event.HostGone gone -> hostGone(gone);
            case Event.StartFailed failed -> startFailed(failed);
            case Event.Remark remark -> verbose(remark.text());
            case Event.ServerReady ready -> serverReady(ready);
            case Event.ServerAborted aborted -> serverAborted(aborted);
            case Event.ServerEnded ended -> serverEnded(ended);
            case Event.RankEnded ended -> rankEnded(ended);
            case Event.NodeEnded ended -> nodes.noteNodeEnded(ended.node());
            case Event.SignalReceived received -> signalReceived(received.signal());
            case Event.Report report -> report(report);
        }
        if (phase == Phase.KILLED && (event instanceof Event.Ended || event instanceof Event.NodeEnded)) {
            enter(Phase.KILLED, times.killedNs); // those that are left may be as slow
        }
    }

    private void hostReady(Event.HostReady ready) throws InterruptedException {
        verbose("host " + hosts.name(ready.node()) + " is ready after " + seconds(System.nanoTime() - startNs));
        hosts.ready(ready);
        startServersOnHosts();
    }

    /** One report for all hosts: so the others are waited for when one has a problem. */
    private void startServersOnHosts() throws InterruptedException {
        if (phase == Phase.STARTING && hosts.allAnswered()) {
            if (hosts.haveProblems()) {
                end(ExitCodes.USAGE, ExitCodes.SIGTERM, hosts.report());
            } else {
                start(nodes::startServers);
            }
        }
    }

    private void hostGone(Event.HostGone ended) throws InterruptedException {
        Event.HostGone gone = nodes.noteGone(ended);
        boolean wereAllAnswered = hosts.allAnswered();
        switch (phase) {
            case STARTING -> {
                hosts.failed(gone);
                if (!wereAllAnswered) {
                    startServersOnHosts();
                } else {
                    end(ExitCodes.USAGE, ExitCodes.SIGTERM, hosts.report());
                }
            }
            case RUNNING -> lost(ExitCodes.FAILURE, "the connection to host " + gone.host() + " (node " + gone.node()
                + ") has ended: " + gone.why());
            case CLOSING, ENDING, KILLED -> { }
        }
    }

    private void startFailed(Event.StartFailed failed) {
        if (phase == Phase.STARTING || phase == Phase.RUNNING) {
            end(ExitCodes.FAILURE, ExitCodes.SIGTERM, failed.reason());
        }
    }

    private void serverReady(Event.ServerReady ready) throws InterruptedException {
        verbose("server of node " + ready.node() + " listens on " + ready.address() + " after "
            + seconds(System.nanoTime() - startNs));
        nodes.noteListening(ready.node());
        servers.ready(ready.node(), ready.address());
        startRanksOnceServersAreReady();
    }

    private void startRanksOnceServersAreReady() throws InterruptedException {
        if (phase == Phase.STARTING && servers.allAnswered()) {
            if (hosts.haveProblems()) {
                end(ExitCodes.USAGE, ExitCodes.SIGTERM, hosts.report());
                return;
            }
            ranksRun();
            start(() -> nodes.startRanks(servers.addresses()));
            if (phase == Phase.RUNNING) {
                verbose("all ranks started after " + seconds(System.nanoTime() - startNs));
            }
        }
    }

    private void serverAborted(Event.ServerAborted aborted) {
        Failure failure = new Failure(aborted.reason(), ExitCodes.FAILURE, Source.SERVER);
        if (suspect == null) {
            suspect(failure, times.secondaryNs);
        } else if (suspect.source == Source.CRASHED_RANK) {
            lost(suspect.exitCode, withReason(suspect.message, failure));
        } else {
            suspect = failure; // a server knows more than the exit code of a rank that it told to go
        }
    }

    /** The end of a rank in words, with the server's reason when it knows more than that this rank is gone. */
    private static String withReason(String rank, Failure server) {
        String number = rank.substring(0, rank.indexOf('(') + 1); // as in "rank 3 (node 1, pid 4711) was killed …"
        boolean knowsNoMore = server.message.startsWith(number) && server.message.endsWith(LEFT_UNSAID);
        return knowsNoMore ? rank : rank + ": " + server.message;
    }

    private void serverEnded(Event.ServerEnded ended) throws InterruptedException {
        nodes.note(ended);
        endedServers.add(ended);
        String what = ended.name() + " " + ExitCodes.describe(ended.exitCode());
        switch (phase) {
            case STARTING -> {
                nodes.awaitOutput(ended, lastOutputMs());
                if (hosts.isEmpty()) {
                    end(ExitCodes.FAILURE, ExitCodes.SIGTERM, what + " before all servers were ready");
                } else {
                    hosts.problem(ended.node(), ended.lastWords().isEmpty() ? what : ended.lastWords());
                    servers.failed(ended.node());
                    startRanksOnceServersAreReady();
                }
            }
            case RUNNING, CLOSING -> {
                if (ended.exitCode() == ExitCodes.FAILURE) {
                    suspect(new Failure(what, ExitCodes.FAILURE, Source.EXIT_CODE), times.secondaryNs);
                } else if (ended.exitCode() != 0 && !isCrashPending()) {
                    lost(ended.exitCode(), what);
                }
            }
            case ENDING, KILLED -> { }
        }
    }

    private void rankEnded(Event.RankEnded ended) throws InterruptedException {
        nodes.note(ended);
        endedRanks.set(ended.rank());
        int code = ended.exitCode();
        if (phase != Phase.RUNNING || isCrashPending()) {
            return; // what ends behind a crash ends because of it, or of what its server is about to tell
        }
        String what = ended.name() + " " + ExitCodes.describe(code);
        if (code == ExitCodes.ABORTED) {
            // A server knows why, and tells when its ranks are gone.
            suspect(new Failure(what, code, Source.EXIT_CODE), closingNs());
        } else if (code == ExitCodes.ofSignal(ExitCodes.SIGINT)) {
            // An interrupt from the terminal reaches ranks before the launcher has told itself of its own.
            suspect(new Failure(what, code, Source.EXIT_CODE), times.secondaryNs);
        } else if (code != 0) {
            nodes.awaitOutput(ended, TimeUnit.NANOSECONDS.toMillis(times.outputNs));
            if (suspect != null && suspect.source == Source.SERVER) {
                rankFailed(code, withReason(what, suspect));
            } else if (ExitCodes.isCrash(code)) {
                // No consequence of anything that an exit code tells. A server tells why when its ranks are gone.
                suspect = new Failure(what, code, Source.CRASHED_RANK);
                suspectDeadline = Deadline.in(closingNs());
            } else {
                rankFailed(code, afterLeaver(leaver(ended), what));
            }
        } else if (endedRanks.cardinality() == plan.topology().rankCount() && suspect == null) {
            enter(Phase.CLOSING, closingNs());
            nodes.releaseServers();
        }
    }

    private int leaver(Event.RankEnded ended) {
        return nodes.explained(ended) instanceof Event.RankEnded explained ? explained.leaver() : -1;
    }

    /** The subject of the message is the rank that left while others waited for it, if one did. */
    private String afterLeaver(int leaver, String what) {
        boolean isKnown = leaver >= 0 && leaver < plan.topology().rankCount();
        return isKnown ? nodes.name(leaver) + " left the job while others still needed it; so " + what : what;
    }

    private boolean isCrashPending() {
        return suspect != null && suspect.source == Source.CRASHED_RANK;
    }

    private long closingNs() {
        return plan.settings().jobGraceNs() + times.secondaryNs;
    }

    private void signalReceived(int signal) throws InterruptedException {
        if (!Closing.isForTheEnd(signal)) {
            sayWhatIsAwaited(ExitCodes.signalName(signal));
            return;
        }
        isSignalled = true;
        if (phase == Phase.ENDING && signal == ExitCodes.SIGINT) {
            interruptedWhileEnding();
        } else if (phase != Phase.ENDING && phase != Phase.KILLED) {
            end(ExitCodes.ofSignal(signal), signal, "ending the job: received " + ExitCodes.signalName(signal));
        }
        isInterrupted |= signal == ExitCodes.SIGINT;
    }

    /**
     * An interrupt from the terminal reaches ranks, too, and one of them may have failed of it before the launcher has
     * told itself of its own.
     */
    private void interruptedWhileEnding() {
        if (isInterrupted) {
            kill();
            return;
        }
        err.say("received SIGINT while the job is being ended; a second one kills what has not ended");
        if (failureNs != null && System.nanoTime() - failureNs < times.secondaryNs) {
            exitCode = ExitCodes.ofSignal(ExitCodes.SIGINT);
        }
    }

    private void sayWhatIsAwaited(String signal) {
        if (phase == Phase.STARTING) {
            err.say("starting for " + seconds(System.nanoTime() - startNs) + ", waiting for the " + starting.awaited()
                + " (" + signal + ")");
            return;
        }
        if (phase != Phase.RUNNING) {
            err.say((phase == Phase.CLOSING ? "all ranks have ended well" : "the job is being ended")
                + "; what has not ended: " + nodes.alive() + " (" + signal + ")");
        }
        isReportAsked = true;
        watch.report("who waits for whom (" + signal + "):", REPORT_NS);
    }

    /** Remembers the first sign of a failure that is probably the consequence of another, and waits for that one. */
    private void suspect(Failure failure, long waitNs) {
        if (suspect == null && (phase == Phase.RUNNING || phase == Phase.CLOSING)) {
            suspect = failure;
            suspectDeadline = Deadline.in(waitNs);
        }
    }

    private void checkDeadlines(long nowNs) throws InterruptedException {
        if (phase == Phase.STARTING) {
            starting.at(nowNs);
        }
        boolean isPhaseOver = phaseDeadline != null && phaseDeadline.isOver();
        boolean isSuspectAlone = suspect != null && suspectDeadline.isOver();
        if (isSuspectAlone) {
            lost(suspect.exitCode, suspect.message);
        } else if (isPhaseOver || isTimeUp(nowNs)) {
            switch (phase) {
                case STARTING -> startTimedOut(nowNs);
                case RUNNING -> timeIsUp(nowNs);
                case CLOSING -> end(0, ExitCodes.SIGTERM, "all ranks have ended well; what has not ended within "
                    + seconds(closingNs()) + " of them is ended: " + nodes.alive()
                    + " (was it stopped, or is the machine overloaded?)");
                case ENDING -> kill();
                case KILLED -> giveUp();
            }
        }
    }

    private void startTimedOut(long nowNs) {
        if (isTimeUp(nowNs)) {
            end(ExitCodes.TIMEOUT, ExitCodes.SIGTERM, "ending the job: it has not started within "
                + seconds(plan.timeoutNs()) + " (--timeout); " + starting.awaited() + " not ready");
            return;
        }
        String within = " within " + seconds(plan.settings().attachTimeoutNs()) + " (attach.timeout)";
        if (hosts.isEmpty()) {
            end(ExitCodes.FAILURE, ExitCodes.SIGTERM, starting.awaited() + " not ready" + within);
        } else {
            hosts.timedOut(servers, within, nodes::said);
            end(ExitCodes.USAGE, ExitCodes.SIGTERM, hosts.report());
        }
    }

    /** The report of what the job was doing may take a moment, and not more. */
    private void timeIsUp(long nowNs) {
        if (isLastReportDue) {
            end(ExitCodes.TIMEOUT, ExitCodes.SIGTERM,
                "ending the job: it ran longer than " + seconds(plan.timeoutNs()) + " (--timeout)");
        } else {
            isLastReportDue = true;
            timeIsUpNs = nowNs + LAST_REPORT_NS;
            watch.report("what the job does as its time is up (--timeout):", LAST_STACKS_NS);
        }
    }

    private void report(Event.Report report) {
        if (phase == Phase.RUNNING || isReportAsked) {
            report.lines().forEach(err::say);
        }
        if (report.isEnd()) {
            watch.noteEnd();
            isReportAsked = false;
            timeIsUpNs = isLastReportDue ? System.nanoTime() : timeIsUpNs;
        }
    }

    private void rankFailed(int code, String message) {
        failureNs = System.nanoTime();
        if (ExitCodes.isSignal(code)) {
            lost(code, message);
        } else {
            end(code, ExitCodes.SIGTERM, message);
        }
    }

    /** Ends the job because of something that another start may not meet. */
    private void lost(int code, String message) {
        hasLost |= phase == Phase.RUNNING;
        end(code, ExitCodes.SIGTERM, message);
    }

    private void end(int code, int signal, String message) {
        suspect = null;
        exitCode = code;
        err.say(message);
        enter(Phase.ENDING, plan.settings().jobGraceNs());
        nodes.end(signal, message);
    }

    private void kill() {
        verbose("killing what has not ended: " + nodes.alive());
        enter(Phase.KILLED, times.killedNs);
        nodes.kill();
    }

    /** Some may be on hosts that do not answer; those of this machine are stuck in its kernel. */
    private void giveUp() {
        nodes.noteTheDead();
        if (!nodes.allEnded()) {
            err.say("processes outlive SIGKILL: " + nodes.alive());
            exitCode = exitCode == 0 ? ExitCodes.FAILURE : exitCode;
            isGivenUp = true;
            nodes.leaveTheLiving();
        }
    }

    private void enter(Phase next, long durationNs) {
        phase = next;
        phaseDeadline = Deadline.in(durationNs);
    }

    /** From now on. */
    private void ranksRun() {
        phase = Phase.RUNNING;
        starting.over();
        phaseDeadline = null;
        watch.begin(plan.settings().jobHangReportNs());
    }

    /** Ranks that have ended well, or are being ended, have all the time that they need. */
    private boolean isTimeUp(long nowNs) {
        boolean counts = phase == Phase.STARTING || phase == Phase.RUNNING;
        return counts && timeIsUpNs != Long.MAX_VALUE && nowNs - timeIsUpNs >= 0;
    }

    private long longestWaitNs(long nowNs) {
        if (suspect == null && phaseDeadline == null) {
            return timeIsUpNs == Long.MAX_VALUE ? IDLE_NS : timeIsUpNs - nowNs;
        }
        long leftNs = phaseDeadline == null ? Deadline.LOOK_NS : phaseDeadline.leftNs();
        return Math.min(Deadline.LOOK_NS, suspect == null ? leftNs : Math.min(leftNs, suspectDeadline.leftNs()));
    }

    private void verbose(String message) {
        if (plan.verbose()) {
            err.say(message);
        }
    }

    private static String seconds(long ns) {
        return Duration.ofNanos(ns).toMillis() / 1e3 + " s";
    }

    private enum Phase {
        /** Servers are starting. */
        STARTING,
        /** Ranks run. */
        RUNNING,
        /** All ranks have ended well; servers end by themselves. */
        CLOSING,
        /** Everything has been told to end, for whatever reason. */
        ENDING,
        /** Everything has been killed. */
        KILLED
    }

    /**
     * How long to wait.
     *
     * @param noticeNs    for servers to start, before a line says which are awaited
     * @param secondaryNs after what may be a consequence, for its cause
     * @param killedNs    for the next end of a process, when all were killed
     * @param outputNs    for what a process has said before it ended
     */
    record Times(long noticeNs, long secondaryNs, long killedNs, long outputNs) {
    }

    /** Makes some of the job's processes. */
    private interface Starting {
        void start() throws IOException;
    }

    /** The processes that have told of a failure. */
    private enum Source {
        EXIT_CODE,
        /** A rank that its own memory access may have ended: its server may know which file was truncated. */
        CRASHED_RANK,
        SERVER
    }

    private record Failure(String message, int exitCode, Source source) {
    }
}

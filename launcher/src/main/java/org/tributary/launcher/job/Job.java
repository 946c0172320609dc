package org.tributary.launcher.job;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.tributary.wire.Deadline;
import org.tributary.wire.LongWait;

/**
 * Starts the servers, then the ranks, and sees the job to its end, whichever it is: all ranks exit with 0, something
 * fails, a signal arrives or time is up. Whatever happens, nothing of the job is left when {@link #run} returns.
 */
public final class Job {
    private static final long SECONDARY_WAIT_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long IDLE_NS = TimeUnit.HOURS.toNanos(1);
    private static final long LAST_OUTPUT_MS = 200;
    /** What a server says of a rank of which it knows only that. */
    private static final String LEFT_UNSAID = ") ended without leaving the job";

    private final JobPlan plan;
    private final LineSink err;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final JobChildren children;
    private final long startNs = System.nanoTime();
    private final LongWait serversAwaited;

    private Phase phase = Phase.STARTING;
    /** Of a phase that may only last so long, in time in which this process runs; else null. */
    private Deadline phaseDeadline;
    /** When ranks have run for as long as they may, by the clock. */
    private long timeIsUpNs = Long.MAX_VALUE;
    private Failure suspect;
    private final long secondaryNs;
    private Deadline suspectDeadline;
    private int exitCode;

    /** {@code input} is what rank 0 reads. */
    public Job(JobPlan plan, String jobId, StandardInput input, LineSink out, LineSink err) {
        this(plan, jobId, input, out, err, LongWait.FIRST_NS, SECONDARY_WAIT_NS);
    }

    /**
     * The same, with other times.
     *
     * @param noticeNs    how long the servers may take to start before a line says which are awaited
     * @param secondaryNs how long to wait, after what may be a consequence, for its cause
     */
    Job(JobPlan plan, String jobId, StandardInput input, LineSink out, LineSink err, long noticeNs, long secondaryNs) {
        this.secondaryNs = secondaryNs;
        this.serversAwaited = new LongWait(startNs, noticeNs);
        this.plan = plan;
        this.err = err;
        this.children = new JobChildren(plan, jobId, events, input, out, err);
    }

    /** May be called by any thread: interrupt, terminate and hang-up end the job, a second interrupt kills it. */
    public void signal(int signal) {
        events.add(new Event.SignalReceived(signal));
    }

    /** The exit code of the launcher: 0, the failed rank's, or one of {@link ExitCodes}. */
    public int run() throws InterruptedException, IOException {
        JobFiles.sweep();
        try {
            enter(Phase.STARTING, plan.settings().attachTimeoutNs());
            start(children::startServers);
            while (!children.allEnded()) {
                Event event = events.poll(longestWaitNs(System.nanoTime()), TimeUnit.NANOSECONDS);
                if (event != null) {
                    handle(event);
                }
                checkDeadlines(System.nanoTime());
            }
            for (Event late = events.poll(); suspect != null && late != null; late = events.poll()) {
                handle(late);
            }
            if (suspect != null) {
                end(suspect.exitCode, ExitCodes.SIGTERM, suspect.message);
            }
            verbose("job ended with code " + exitCode + " after " + seconds(System.nanoTime() - startNs));
        } finally {
            children.close();
        }
        return exitCode;
    }

    /** Where not all can be started, those that have been are ended, as after any other failure. */
    private void start(Starting processes) throws InterruptedException {
        try {
            processes.start();
        } catch (IOException e) {
            end(ExitCodes.FAILURE, ExitCodes.SIGTERM, e.getMessage());
        }
    }

    private void handle(Event event) throws InterruptedException {
        switch (event) {
            case Event.ServerReady ready -> serverReady(ready);
            case Event.ServerAborted aborted -> serverAborted(aborted);
            case Event.ServerEnded ended -> serverEnded(ended);
            case Event.RankEnded ended -> rankEnded(ended);
            case Event.SignalReceived received -> signalReceived(received.signal());
        }
    }

    private void serverReady(Event.ServerReady ready) throws InterruptedException {
        verbose("server of node " + ready.node() + " listens on " + ready.address() + " after "
            + seconds(System.nanoTime() - startNs));
        if (children.serverReady(ready.node(), ready.address()) && phase == Phase.STARTING) {
            run(plan.timeoutNs());
            start(children::startRanks);
            if (phase == Phase.RUNNING) {
                verbose("all ranks started after " + seconds(System.nanoTime() - startNs));
            }
        }
    }

    private void serverAborted(Event.ServerAborted aborted) {
        Failure failure = new Failure(aborted.reason(), ExitCodes.FAILURE, Source.SERVER);
        if (suspect == null) {
            suspect(failure);
        } else if (suspect.source == Source.CRASHED_RANK) {
            end(suspect.exitCode, ExitCodes.SIGTERM, withReason(suspect.message, failure));
        } else {
            suspect = failure; // a server knows more than the exit code of a rank that it told to go
        }
    }

    /** What has become of a rank, and why, when a server knows more than that this rank is gone. */
    private static String withReason(String rank, Failure server) {
        String number = rank.substring(0, rank.indexOf('(') + 1); // as in "rank 3 (node 1, pid 4711) was killed …"
        boolean knowsNoMore = server.message.startsWith(number) && server.message.endsWith(LEFT_UNSAID);
        return knowsNoMore ? rank : rank + ": " + server.message;
    }

    private void serverEnded(Event.ServerEnded ended) throws InterruptedException {
        Child server = children.serverEnded(ended.node());
        String what = "server of " + server.name() + " " + ExitCodes.describe(ended.exitCode());
        switch (phase) {
            case STARTING -> {
                server.awaitOutput(LAST_OUTPUT_MS);
                end(ExitCodes.FAILURE, ExitCodes.SIGTERM, what + " before all servers were ready");
            }
            case RUNNING, CLOSING -> {
                if (isCrashPending()) {
                    server.awaitOutput(LAST_OUTPUT_MS);
                    break;
                }
                if (ended.exitCode() == ExitCodes.FAILURE) {
                    suspect(new Failure(what, ExitCodes.FAILURE, Source.EXIT_CODE));
                } else if (ended.exitCode() != 0) {
                    end(ended.exitCode(), ExitCodes.SIGTERM, what);
                }
            }
            case ENDING, KILLED -> { }
        }
    }

    private void rankEnded(Event.RankEnded ended) throws InterruptedException {
        Child rank = children.rankEnded(ended.rank());
        int code = ended.exitCode();
        if (phase != Phase.RUNNING || isCrashPending()) {
            return; // what ends behind a crash ends because of it, or of what its server is about to tell
        }
        String what = rank.name() + " " + ExitCodes.describe(code);
        if (code == ExitCodes.ABORTED || code == ExitCodes.ofSignal(ExitCodes.SIGINT)) {
            // An interrupt from the terminal reaches ranks before the launcher has told itself of its own.
            suspect(new Failure(what, code, Source.EXIT_CODE));
        } else if (code != 0) {
            rank.awaitOutput(LAST_OUTPUT_MS);
            if (suspect != null && suspect.source == Source.SERVER) {
                end(code, ExitCodes.SIGTERM, withReason(what, suspect));
            } else if (ExitCodes.isCrash(code)) {
                // No consequence of anything that an exit code tells. A server tells why when its ranks are gone.
                suspect = new Failure(what, code, Source.CRASHED_RANK);
                suspectDeadline = Deadline.in(closingNs());
            } else {
                end(code, ExitCodes.SIGTERM, children.describeEnd(ended.rank(), code));
            }
        } else if (children.allRanksEnded() && suspect == null) {
            enter(Phase.CLOSING, closingNs());
            children.releaseServers();
        }
    }

    private boolean isCrashPending() {
        return suspect != null && suspect.source == Source.CRASHED_RANK;
    }

    private long closingNs() {
        return plan.settings().jobGraceNs() + secondaryNs;
    }

    private void signalReceived(int signal) throws InterruptedException {
        if (phase == Phase.ENDING && signal == ExitCodes.SIGINT) {
            kill();
        } else if (phase != Phase.ENDING && phase != Phase.KILLED) {
            end(ExitCodes.ofSignal(signal), signal, "ending the job: received " + ExitCodes.signalName(signal));
        }
    }

    /** Remembers the first sign of a failure that is probably the consequence of another, and waits for that one. */
    private void suspect(Failure failure) {
        if (suspect == null && (phase == Phase.RUNNING || phase == Phase.CLOSING)) {
            suspect = failure;
            suspectDeadline = Deadline.in(secondaryNs);
        }
    }

    private void checkDeadlines(long nowNs) throws InterruptedException {
        if (phase == Phase.STARTING && serversAwaited.isNoticeDue(nowNs)) {
            err.say("still waiting for the " + children.unreadyServers() + " ("
                + serversAwaited.seconds(nowNs) + " s of " + seconds(plan.settings().attachTimeoutNs()) + ")");
        }
        boolean isPhaseOver = phaseDeadline != null && phaseDeadline.isOver();
        boolean isSuspectAlone = suspect != null && suspectDeadline.isOver();
        if (isSuspectAlone) {
            end(suspect.exitCode, ExitCodes.SIGTERM, suspect.message);
        } else if (isPhaseOver || phase == Phase.RUNNING && isTimeUp(nowNs)) {
            switch (phase) {
                case STARTING -> end(ExitCodes.FAILURE, ExitCodes.SIGTERM, children.unreadyServers()
                    + " not ready within " + seconds(plan.settings().attachTimeoutNs()) + " (attach.timeout)");
                case RUNNING -> end(ExitCodes.TIMEOUT, ExitCodes.SIGTERM,
                    "ending the job: it ran longer than " + seconds(plan.timeoutNs()) + " (--timeout)");
                case CLOSING -> end(0, ExitCodes.SIGTERM, "all ranks have ended well; what has not ended within "
                    + seconds(closingNs()) + " of them is ended: server of " + children.alive()
                    + " (was it stopped, or is the machine overloaded?)");
                case ENDING -> kill();
                case KILLED -> {
                    // The JDK tells of an end on a thread of its own, for which there may be none.
                    children.markDeadAsEnded();
                    if (!children.allEnded()) {
                        throw new IllegalStateException("processes outlive SIGKILL: " + children.alive());
                    }
                }
            }
        }
    }

    private void end(int code, int signal, String message) {
        suspect = null;
        exitCode = code;
        err.say(message);
        enter(Phase.ENDING, plan.settings().jobGraceNs());
        children.end(signal, message);
    }

    private void kill() {
        verbose("killing what has not ended: " + children.alive());
        enter(Phase.KILLED, TimeUnit.SECONDS.toNanos(10));
        children.kill();
    }

    private void enter(Phase next, long durationNs) {
        phase = next;
        phaseDeadline = Deadline.in(durationNs);
    }

    /** Ranks run from now on, for ever if {@code timeoutNs} is 0. */
    private void run(long timeoutNs) {
        phase = Phase.RUNNING;
        phaseDeadline = null;
        timeIsUpNs = timeoutNs == 0 ? Long.MAX_VALUE : System.nanoTime() + timeoutNs;
    }

    private boolean isTimeUp(long nowNs) {
        return timeIsUpNs != Long.MAX_VALUE && nowNs - timeIsUpNs >= 0;
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

    /** Makes some of the job's processes. */
    private interface Starting {
        void start() throws IOException;
    }

    /** Who has told of a failure. */
    private enum Source {
        EXIT_CODE,
        /** A rank that its own memory access may have ended: its server may know which file was truncated. */
        CRASHED_RANK,
        SERVER
    }

    private record Failure(String message, int exitCode, Source source) {
    }
}

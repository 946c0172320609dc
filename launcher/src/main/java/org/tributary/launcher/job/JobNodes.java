package org.tributary.launcher.job;

import java.io.IOException;
import java.util.List;
import org.tributary.launcher.status.JobView;

/**
 * The nodes of a job with their servers and ranks, wherever they run. They report by {@link Event}s. Used by the one
 * thread that runs the job; nothing here waits for another machine, {@link #close} apart.
 */
public interface JobNodes {
    /** The name of the job. */
    String jobId();

    /**
     * The host of each node, by node; empty when all nodes are on this machine. Each host answers {@link #prepare} by
     * {@link Event.HostReady} or {@link Event.HostGone}.
     */
    List<String> hosts();

    /** Their state as an observer sees it; may be called by any thread. */
    JobView view();

    /** Makes the hosts ready for {@link #startServers}. */
    void prepare() throws IOException;

    /** Each server reports by {@link Event.ServerReady} or {@link Event.ServerEnded}. */
    void startServers() throws IOException;

    /** {@code addresses} are those of the servers, by node. */
    void startRanks(List<String> addresses) throws IOException;

    /** All ranks have ended well. */
    void releaseServers();

    /** Servers tell ranks that compute why they end; {@code signal} goes to all ranks and their descendants. */
    void end(int signal, String reason);

    void kill();

    /** The last that the way to the host of a node has printed; nothing if it was silent. */
    String said(int node);

    /** To be called when a server has said that it listens. */
    void noteListening(int node);

    /** To be called with each end of a process that has been taken notice of. */
    void note(Event.Ended ended);

    /**
     * To be called with each end of a connection that has been taken notice of. The answer names fewer hosts when
     * others behind the first are being reached in another way.
     */
    Event.HostGone noteGone(Event.HostGone gone);

    /** To be called when the host of a node has said that all its processes there have ended. */
    void noteNodeEnded(int node);

    /** Whether everything that was started has ended and been noted. Some of its output may be on its way. */
    boolean allEnded();

    /** Takes notice of ends of which no news will come, where there was no thread to bring them. */
    void noteTheDead();

    /** {@link #close} does not wait for the processes of this machine that run now: they outlive all signals. */
    void leaveTheLiving();

    /** The subject of messages: {@code rank 3 (node 1, pid 1234)}, or less while no more is known. */
    String name(int rank);

    /** The processes that have not ended, for messages. */
    String alive();

    /** Waits until the output of a process that has ended is written, but no longer than that. */
    void awaitOutput(Event.Ended ended, long timeoutMs) throws InterruptedException;

    /**
     * Waits until what a server that has ended has told its launcher is among the events, but no longer than that. A
     * reader of the output does not hold it up where there are other hosts.
     */
    void awaitWords(Event.ServerEnded ended, long timeoutMs) throws InterruptedException;

    /** The same event with what the process has said before it ended; to be asked after {@link #awaitOutput}. */
    Event.Ended explained(Event.Ended ended);

    /**
     * From now on nobody waits for output to be written, or for other hosts where nobody did any more; may be called by
     * any thread.
     */
    void dropOutput();

    /** The same after a while: {@link #close}, which is called next, does not wait longer. */
    void limitOutput(long ns);

    /** From now on nobody waits for other hosts either; may be called by any thread. */
    void giveUp();

    /** Ends what is left, waits for the last output, and removes the job's files. */
    LastOutput close() throws IOException, InterruptedException;
}

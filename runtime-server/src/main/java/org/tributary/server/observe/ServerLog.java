package org.tributary.server.observe;

import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.tributary.wire.codec.RefusalCode;

/**
 * Log lines about faults of other processes: each kind once for each source, so that no peer can flood the log. Lines
 * about peers are bounded in number, and then not named any more. The server's own conditions are few, and are said
 * whatever peers do. Thread-safe.
 */
public final class ServerLog {
    static final int MAX_SOURCES = 1000;

    private final System.Logger logger = System.getLogger(ServerLog.class.getPackageName());
    private final Set<String> said = new HashSet<>();
    private final Set<String> saidOfPeers = new HashSet<>();
    private final String prefix;
    private boolean keepsMuch;

    public ServerLog(int node) {
        this.prefix = "communication server of node " + node + ": ";
    }

    /**
     * Whether an operator is to hear of such a refusal. Peers of a job that is ending come to tell what this server
     * knows already, and ranks take the route when the server has no room for a direct connection now.
     */
    public static boolean isNews(RefusalCode code) {
        return code != RefusalCode.ENDING && code != RefusalCode.TAKE_ROUTE;
    }

    public void refused(String who, RefusalCode code, String detail) {
        Level level = isNews(code) ? Level.WARNING : Level.DEBUG;
        onceOfPeer("refused " + code + address(who), level, "refused " + who + ": " + detail);
    }

    public void malformed(String who, Throwable cause) {
        onceOfPeer("malformed" + address(who), Level.WARNING, "closed " + who + ": " + cause.getMessage());
    }

    public synchronized void keepsMuch(long bytes) {
        if (!keepsMuch) {
            keepsMuch = true;
            once("keeps much", Level.WARNING, "many connections do not take their answers, or wait for the main event"
                + " loop, and their requests take " + bytes
                + " bytes: reads little at a time until they go on (tributary_kept_bytes)");
        }
    }

    public void cannotAccept(Throwable cause) {
        once("accept " + cause.getMessage(), Level.WARNING, "cannot accept a connection, and tries again: "
            + cause.getMessage());
    }

    /** A listener is flooded by strangers. */
    public void acceptPaused(Object where, int burst, long perSecond) {
        once("accept pauses " + where, Level.WARNING, "more than " + burst + " connections at once, and "
            + perSecond + " a second, come to " + where + " that have not"
            + " proved that they belong to this job: accepts no more of them than that, and so who does may have to"
            + " wait (tributary_accept_pauses_total)");
    }

    public void failed(String who, Throwable cause) {
        logger.log(Level.ERROR, prefix + "closed " + who + " after an internal error", cause);
    }

    public void cannotTell(Path file, Throwable cause) {
        once("cannot tell", Level.WARNING, "cannot tell the ranks of the node by " + file + ": " + cause.getMessage());
    }

    public void heldUp(int count, long waitedNs, String holder) {
        logger.log(Level.WARNING, prefix + count + " connections have waited for " + waitedNs / 1_000_000_000L
            + " s for a lock of accumulates that " + holder + " holds, which does not run: is it stopped? They go on"
            + " when it does");
    }

    /** Ranks of other nodes reach a segment by messages only. */
    public void cannotRegister(long bytes, String why) {
        once("cannot register", Level.WARNING, "the network adapter cannot use a segment of " + bytes + " bytes: " + why
            + "; messages carry its data. If memory must not be locked, raise the limit (ulimit -l) or set"
            + " network.fabric = none");
    }

    /** The job wants channels, and requests go over connections. */
    public void hasNoChannels(String why) {
        once("no channels", Level.WARNING, "fabric.channels has no effect: " + why);
    }

    public void ended(String reason) {
        logger.log(Level.DEBUG, prefix + reason);
    }

    /** Drops the port, which is another one each time. */
    private static String address(String who) {
        int colon = who.lastIndexOf(':');
        return colon < 0 ? who : who.substring(0, colon);
    }

    /** {@code key}: of a condition of this server, of which there are few. */
    private synchronized void once(String key, Level level, String message) {
        if (said.add(key)) {
            logger.log(level, prefix + message);
        }
    }

    /** {@code key}: with the address of a peer, which anybody may have chosen. */
    private synchronized void onceOfPeer(String key, Level level, String message) {
        if (logger.isLoggable(level) && saidOfPeers.size() < MAX_SOURCES && saidOfPeers.add(key)) {
            logger.log(level, prefix + message);
            if (saidOfPeers.size() == MAX_SOURCES) {
                logger.log(Level.WARNING, prefix + "further connections that are refused or closed are not named: there"
                    + " have been " + MAX_SOURCES + " sources of them (tributary_connections_refused_total,"
                    + " tributary_frames_malformed_total)");
            }
        }
    }
}

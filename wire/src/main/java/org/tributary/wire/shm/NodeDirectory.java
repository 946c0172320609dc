package org.tributary.wire.shm;

import java.nio.file.Path;

/**
 * Names of the files of one node of one job, all in {@code <shm.directory>/tributary-<job>-<node>} (mode 0700, files
 * 0600).
 *
 * <pre>
 *   lock-&lt;pid&gt;-&lt;start&gt;  locked by the server, process pid, for as long as it lives: unlocked means stale
 *   control             {@link ControlFile}
 *   rings               {@link RingFile}, when ranks hand requests to their server through shared memory
 *   socket              Unix-domain socket of the server
 *   segment-&lt;id&gt;        one file a segment, {@link SegmentLayout}
 * </pre>
 */
public record NodeDirectory(Path path) {
    /** Every directory of a job begins with this. */
    public static final String PREFIX = "tributary-";

    /** The directory of a node of a job. */
    public static NodeDirectory of(Path shmDirectory, String jobId, int node) {
        return new NodeDirectory(shmDirectory.resolve(PREFIX + jobId + "-" + node));
    }

    /** Beginning of the name of the file whose lock says that the server lives; the server's process follows. */
    public static final String LOCK_PREFIX = "lock-";

    /**
     * File that the server of that process locks. The time of its start tells it from a later process with the same
     * number, which is the rule in containers, where numbers begin anew with each.
     *
     * @param startTicks field 22 of {@code /proc/<pid>/stat}
     */
    public Path lock(long pid, long startTicks) {
        return path.resolve(LOCK_PREFIX + pid + "-" + startTicks);
    }

    /** The node's control file. */
    public Path control() {
        return path.resolve("control");
    }

    /** The rings through which ranks hand requests to the server, if they do. */
    public Path rings() {
        return path.resolve("rings");
    }

    /** The server's Unix-domain socket. */
    public Path socket() {
        return path.resolve("socket");
    }

    /** The file of a segment. */
    public Path segment(long segmentId) {
        return path.resolve("segment-" + Long.toHexString(segmentId));
    }
}

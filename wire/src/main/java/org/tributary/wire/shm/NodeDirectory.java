package org.tributary.wire.shm;

import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * Names of the files of one node of one job, all in {@code <shm.directory>/tributary-<job>-<node>} (mode 0700, files
 * 0600).
 *
 * <pre>
 *   lock-&lt;pid&gt;-&lt;start&gt;  locked by the server for as long as it lives, {@link LockedDirectory}
 *   control             {@link ControlFile}
 *   rings               {@link RingFile}, when ranks hand requests to their server through shared memory
 *   socket              Unix-domain socket of the server
 *   segment-&lt;id&gt;        one file a segment, {@link SegmentLayout}
 * </pre>
 */
public record NodeDirectory(Path path) {
    /** Every directory of a job begins with this. */
    public static final String PREFIX = "tributary-";

    /** The names of directories of nodes: {@code tributary-<job>-<node>}. */
    public static final Pattern NAME = Pattern.compile(PREFIX + "[A-Za-z0-9._-]{1,32}-\\d{1,10}");

    public static NodeDirectory of(Path shmDirectory, String jobId, int node) {
        return new NodeDirectory(shmDirectory.resolve(PREFIX + jobId + "-" + node));
    }

    /** Removes what dead servers of this user have left. */
    public static LockedDirectory.Swept sweep(Path shmDirectory) {
        return LockedDirectory.sweep(shmDirectory, NAME);
    }

    /** Makes the directory, mode 0700, and locks it until it is closed. */
    public LockedDirectory create() throws IOException {
        return LockedDirectory.create(path);
    }

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

    public Path segment(long segmentId) {
        return path.resolve("segment-" + Long.toHexString(segmentId));
    }
}

package org.tributary.wire.shm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Names of the files of one node of one job, all in {@code <shm.directory>/tributary-<job>-<node>} (mode 0700, files
 * 0600).
 *
 * <pre>
 *   lock-&lt;pid&gt;-&lt;start&gt;  locked by the server for as long as it lives, {@link LockedDirectory}
 *   control             {@link ControlFile}
 *   rings               {@link RingFile}, when ranks hand requests to their server through shared memory
 *   counts              {@link CountsFile}
 *   socket              Unix-domain socket of the server
 *   segment-&lt;id&gt;        one file a segment, {@link SegmentLayout}
 *   parts-&lt;id&gt;          a note of what is in it, {@link SegmentParts}
 * </pre>
 */
public record NodeDirectory(Path path) {
    /** Every directory of a job begins with this. */
    public static final String PREFIX = "tributary-";

    /** The names of directories of nodes: {@code tributary-<job>-<node>}. */
    public static final Pattern NAME = Pattern.compile(PREFIX + "[A-Za-z0-9._-]{1,32}-\\d{1,10}");

    private static final String CONTROL = "control";
    private static final String RINGS = "rings";
    private static final String SOCKET = "socket";
    /** Its id follows, in hexadecimal. */
    private static final String SEGMENT = "segment-";

    /** How long a dead server may take to let go of its lock: each of its threads needs a processor to end. */
    private static final long REMOVE_NS = 10_000_000_000L;
    /** The same of other servers here, most of which live. */
    private static final long OTHERS_NS = 1_000_000_000;
    private static final long PAUSE_NS = 2_000_000;

    public static NodeDirectory of(Path shmDirectory, String jobId, int node) {
        return new NodeDirectory(shmDirectory.resolve(PREFIX + jobId + "-" + node));
    }

    /** The nodes of the same job whose servers run on this machine as well. */
    public List<Integer> othersHere() {
        Pattern others = ofJob();
        try (Stream<Path> found = Files.list(path.getParent())) {
            return found.filter(other -> !other.equals(path) && Files.exists(new NodeDirectory(other).socket()))
                .map(other -> others.matcher(other.getFileName().toString())).filter(Matcher::matches)
                .map(node -> Integer.valueOf(node.group(1))).sorted().toList();
        } catch (IOException e) {
            return List.of(); // it is only for a message
        }
    }

    /** Removes what dead servers of this user have left. */
    public static LockedDirectory.Swept sweep(Path shmDirectory) {
        return LockedDirectory.sweep(shmDirectory, NAME);
    }

    /** Paths of the directories that the next sweep will remove. */
    public static List<String> stale(Path shmDirectory) {
        return LockedDirectory.stale(shmDirectory, NAME);
    }

    /**
     * Removes it when its server has just died, and those of other dead servers of its job on this machine. A dying
     * process closes its connections before the kernel releases its lock, so this waits up to 10 s for the lock of its
     * own server, and up to 1 s for those of others. Leaves directories of living servers alone.
     */
    public void removeWithServer() {
        Pattern job = ofJob();
        long startNs = System.nanoTime();
        LockedDirectory.sweep(path.getParent(), job);
        while (System.nanoTime() - startNs < (Files.exists(path) ? REMOVE_NS : OTHERS_NS) && findsAny(job)) {
            LockSupport.parkNanos(PAUSE_NS);
            LockedDirectory.sweep(path.getParent(), job);
        }
    }

    private boolean findsAny(Pattern job) {
        try (Stream<Path> found = Files.list(path.getParent())) {
            return found.anyMatch(other -> job.matcher(other.getFileName().toString()).matches());
        } catch (IOException e) {
            return false; // then nothing can be removed either
        }
    }

    /** The names of the directories of all nodes of its job. */
    private Pattern ofJob() {
        String name = path.getFileName().toString();
        return Pattern.compile(Pattern.quote(name.substring(0, name.lastIndexOf('-') + 1)) + "(\\d{1,9})");
    }

    /** Makes the directory, mode 0700, and locks it until it is closed. */
    public LockedDirectory create() throws IOException {
        return LockedDirectory.create(path);
    }

    /** Whether a file of such a directory is the one whose lock says that the server lives. */
    public static boolean isLock(Path file) {
        return file.getFileName().toString().startsWith(LockedDirectory.LOCK_PREFIX);
    }

    public Path control() {
        return path.resolve(CONTROL);
    }

    /** The rings through which ranks hand requests to the server, if they do. */
    public Path rings() {
        return path.resolve(RINGS);
    }

    /** The file of the server's counts, {@link CountsFile}. */
    public Path counts() {
        return path.resolve("counts");
    }

    /**
     * Whether it belongs to this user and nobody else can change it. Another user could have made one of that name, as
     * anybody can write where directories of nodes are.
     */
    public boolean isOwn() throws IOException {
        return LockedDirectory.isOwn(path);
    }

    /** The server's Unix-domain socket. */
    public Path socket() {
        return path.resolve(SOCKET);
    }

    /** The server's description of a segment, {@link SegmentParts}. */
    public Path parts(long segmentId) {
        return path.resolve("parts-" + Long.toHexString(segmentId));
    }

    public Path segment(long segmentId) {
        return path.resolve(SEGMENT + Long.toHexString(segmentId));
    }
}

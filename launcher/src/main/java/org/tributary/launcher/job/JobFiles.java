package org.tributary.launcher.job;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.tributary.config.HostFacts;
import org.tributary.config.Shortage;
import org.tributary.wire.shm.LockedDirectory;

/**
 * The job's private temporary directory, which holds its secret and the servers' addresses. The launcher keeps it
 * locked: one whose lock is free belongs to a launcher that has died, and the next one removes it.
 */
public final class JobFiles implements AutoCloseable {
    private static final String PREFIX = "tributary-job-";
    private static final Pattern NAME = Pattern.compile(PREFIX + "[A-Za-z0-9._-]{1,48}");
    private static final String SERVERS = "servers";
    private static final String SECRET = "secret";
    private static final String LAUNCHER = "launcher";
    private static final String STATUS = "status";
    private static final String OF_LAUNCHER = ".launcher";

    private final LockedDirectory directory;

    private JobFiles(LockedDirectory directory) {
        this.directory = directory;
    }

    /**
     * The secret goes into a file: a user who may see a process may see its environment and its arguments.
     *
     * @param name the job's, or that with a dot and the first of the nodes that use these files
     */
    static JobFiles create(String name, byte[] secret) throws IOException {
        try {
            return createIn(parent().resolve(PREFIX + name), secret);
        } catch (IOException e) {
            throw new IOException("cannot write the job's files: " + Shortage.describe(e)
                + " (JDK_JAVA_OPTIONS=-Djava.io.tmpdir=… in the environment names another folder)", e);
        }
    }

    private static JobFiles createIn(Path path, byte[] secret) throws IOException {
        JobFiles files = new JobFiles(LockedDirectory.create(path));
        try {
            Path file = files.secretFile();
            Files.newByteChannel(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))).close();
            Files.writeString(file, HexFormat.of().formatHex(secret));
            return files;
        } catch (IOException e) {
            files.close();
            throw e;
        }
    }

    /** Mode 0600. */
    Path secretFile() {
        return directory.path().resolve(SECRET);
    }

    Path serversFile() {
        return directory.path().resolve(SERVERS);
    }

    /** At once or not at all, as servers are reading it already. */
    void writeServers(List<String> addresses) throws IOException {
        Path unfinished = directory.path().resolve(SERVERS + ".new");
        try {
            Files.write(unfinished, addresses);
            Files.move(unfinished, serversFile(), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new IOException("cannot write the list of servers: " + unfinished + ": " + Shortage.describe(e), e);
        }
    }

    /** For commands of this host that ask about the whole job. */
    void writeLauncher(String where) throws IOException {
        Files.writeString(directory.path().resolve(LAUNCHER), where);
    }

    /** The file in which the agent of a node notes where the launcher is. Anybody may have made it. */
    public static Path launcherFile(String jobId, int node) {
        return parent().resolve(PREFIX + jobId + "." + node).resolve(LAUNCHER);
    }

    /** The directory of a launcher whose job is on hosts of their own: locked as that of a job on this machine. */
    public static LockedDirectory createOfLauncher(String jobId) throws IOException {
        return LockedDirectory.create(parent().resolve(PREFIX + jobId + OF_LAUNCHER));
    }

    /** In that directory, the socket at which the launcher answers. */
    public static Path statusSocket(LockedDirectory ofLauncher) {
        return ofLauncher.path().resolve(STATUS);
    }

    /** The sockets of such launchers of this user that live on this machine, by job. */
    public static Map<String, Path> statusSockets() throws IOException {
        Map<String, Path> sockets = new TreeMap<>();
        Object user = HostFacts.user();
        List<String> stale = stale();
        try (Stream<Path> entries = Files.list(parent())) {
            for (Path entry : entries.filter(path -> path.getFileName().toString().startsWith(PREFIX)
                && path.getFileName().toString().endsWith(OF_LAUNCHER)).toList()) {
                String name = entry.getFileName().toString();
                if (findsOwnedBy(entry.resolve(STATUS), user) && !stale.contains(entry.toString())) {
                    sockets.put(name.substring(PREFIX.length(), name.length() - OF_LAUNCHER.length()),
                        entry.resolve(STATUS));
                }
            }
        } catch (NoSuchFileException e) {
            return sockets;
        }
        return sockets;
    }

    private static boolean findsOwnedBy(Path file, Object user) {
        try {
            return Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS).equals(user);
        } catch (IOException e) {
            return false; // the launcher has just begun, or it ends
        }
    }

    @Override
    public void close() throws IOException {
        directory.close();
    }

    /**
     * The directory from which the server of {@code node} has its files, whose launcher has died; several servers may
     * remove it at the same time.
     */
    public static void removeOf(String jobId, int node) {
        try {
            LockedDirectory.remove(parent().resolve(PREFIX + jobId));
            LockedDirectory.remove(parent().resolve(PREFIX + jobId + "." + node));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes what launchers of this user that were killed have left. */
    public static LockedDirectory.Swept sweep() {
        return LockedDirectory.sweep(parent(), NAME);
    }

    /** Paths of the directories that the next sweep will remove. */
    public static List<String> stale() {
        return LockedDirectory.stale(parent(), NAME);
    }

    private static Path parent() {
        return Path.of(System.getProperty("java.io.tmpdir"));
    }
}

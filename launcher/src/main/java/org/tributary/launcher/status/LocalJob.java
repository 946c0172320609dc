package org.tributary.launcher.status;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.status.JobStatus;
import org.tributary.wire.status.NodeDetails;
import org.tributary.wire.status.NodeReader;
import org.tributary.wire.status.NodeStatus;

/** A job that has nodes on this machine. */
public final class LocalJob {
    private final String id;
    private final List<NodeDirectory> directories = new ArrayList<>();

    private LocalJob(String id) {
        this.id = id;
    }

    /** The jobs of this user, by id. */
    public static Map<String, LocalJob> all(Path shmDirectory) throws IOException {
        Map<String, LocalJob> jobs = new TreeMap<>();
        try (Stream<Path> entries = Files.list(shmDirectory)) {
            entries.filter(LocalJob::isOwnNode).sorted(Comparator.comparingInt(LocalJob::nodeOf)).forEach(entry ->
                jobs.computeIfAbsent(jobOf(entry), LocalJob::new).directories.add(new NodeDirectory(entry)));
        } catch (NoSuchFileException e) {
            return jobs;
        }
        return jobs;
    }

    private static boolean isOwnNode(Path entry) {
        try {
            return NodeDirectory.NAME.matcher(entry.getFileName().toString()).matches()
                && Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)
                && Files.getAttribute(entry, "unix:uid", LinkOption.NOFOLLOW_LINKS)
                    .equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        } catch (IOException e) {
            return false;
        }
    }

    private static String jobOf(Path directory) {
        String name = directory.getFileName().toString();
        return name.substring(NodeDirectory.PREFIX.length(), name.lastIndexOf('-'));
    }

    private static int nodeOf(Path directory) {
        String name = directory.getFileName().toString();
        return (int) Math.min(Integer.MAX_VALUE, Long.parseLong(name.substring(name.lastIndexOf('-') + 1)));
    }

    public String id() {
        return id;
    }

    /**
     * A job as it is now.
     *
     * @param problems nodes that could not be read, one a line
     */
    public record Reading(String id, JobStatus status, List<String> problems) {
        public Reading {
            problems = List.copyOf(problems);
        }
    }

    /** Reads all nodes here; some may go meanwhile. */
    public Reading read() {
        List<NodeStatus> nodes = new ArrayList<>();
        List<NodeReader> readers = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (NodeDirectory directory : directories) {
            NodeReader reader = new NodeReader(directory);
            try {
                nodes.add(reader.read());
                readers.add(reader);
            } catch (NoSuchFileException e) {
                problems.add(directory.path() + " is being made, or removed");
            } catch (IOException e) {
                problems.add(e.getMessage());
            }
        }
        NodeDetails.Questions questions = JobStatus.questions(nodes);
        return new Reading(id, new JobStatus(nodes, readers.stream().map(reader -> reader.read(questions)).toList()),
            problems);
    }
}

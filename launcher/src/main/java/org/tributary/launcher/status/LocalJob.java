package org.tributary.launcher.status;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.tributary.config.HostFacts;
import org.tributary.config.Shortage;
import org.tributary.launcher.step.Asked;
import org.tributary.wire.shm.NodeDirectory;
import org.tributary.wire.status.JobStatus;
import org.tributary.wire.status.NodeDetails;
import org.tributary.wire.status.NodeReader;
import org.tributary.wire.status.NodeSnapshot;
import org.tributary.wire.status.NodeStatus;
import org.tributary.wire.status.NodeStatus.Rank;

/** The nodes of a job on this machine. */
public final class LocalJob implements JobView {
    private final Path shmDirectory;
    private final String id;
    private final Map<Path, BusiestPairs> busiest = new ConcurrentHashMap<>();
    private final Map<Path, NodeReader> known = new ConcurrentHashMap<>();

    public LocalJob(Path shmDirectory, String id) {
        this.shmDirectory = shmDirectory;
        this.id = id;
    }

    /** The jobs of this user, by id. */
    public static Map<String, JobView> all(Path shmDirectory) throws IOException {
        Map<String, JobView> jobs = new TreeMap<>();
        nodesByJob(shmDirectory).keySet().forEach(job -> jobs.put(job, new LocalJob(shmDirectory, job)));
        return jobs;
    }

    /** The numbers of the nodes here of each job of this user, by its id. */
    public static Map<String, List<Integer>> nodesByJob(Path shmDirectory) throws IOException {
        return nodes(shmDirectory).stream().collect(Collectors.groupingBy(LocalJob::jobOf, TreeMap::new,
            Collectors.mapping(LocalJob::nodeOf, Collectors.toList())));
    }

    private static List<Path> nodes(Path shmDirectory) throws IOException {
        try (Stream<Path> entries = Files.list(shmDirectory)) {
            return entries.filter(LocalJob::isOwnNode).sorted(Comparator.comparingInt(LocalJob::nodeOf)).toList();
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }

    private static boolean isOwnNode(Path entry) {
        try {
            return NodeDirectory.NAME.matcher(entry.getFileName().toString()).matches()
                && Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)
                && Files.getAttribute(entry, "unix:uid", LinkOption.NOFOLLOW_LINKS)
                    .equals(HostFacts.user());
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

    /** Reads all nodes here; some may go meanwhile. */
    @Override
    public JobReading read() throws IOException {
        List<NodeStatus> nodes = new ArrayList<>();
        List<NodeReader> readers = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (Path directory : ownNodes()) {
            NodeReader reader = reader(directory);
            try {
                nodes.add(reader.read());
                readers.add(reader);
            } catch (NoSuchFileException e) {
                problems.add(directory + " is being made, or removed");
            } catch (IOException e) {
                problems.add(e.getMessage());
            }
        }
        NodeDetails.Questions questions = JobStatus.questions(nodes);
        return new JobReading(id,
            new JobStatus(nodes, readers.stream().map(reader -> reader.read(questions)).toList()), problems);
    }

    private NodeReader reader(Path directory) {
        return known.computeIfAbsent(directory, node -> new NodeReader(new NodeDirectory(node)));
    }

    /** The nodes of this job, in their order. Each name is looked at once a step, an owner when it comes. */
    private List<Path> ownNodes() throws IOException {
        String[] names = shmDirectory.toFile().list();
        if (names == null) { // says why, if there is such a directory
            return nodes(shmDirectory).stream().filter(node -> jobOf(node).equals(id)).toList();
        }
        String prefix = NodeDirectory.PREFIX + id + "-";
        List<Path> found = new ArrayList<>();
        for (String name : names) {
            // Of another job whose id is longer there is another number, and more before it.
            if (name.startsWith(prefix) && name.lastIndexOf('-') == prefix.length() - 1) {
                Path node = shmDirectory.resolve(name);
                if (known.containsKey(node) || isOwnNode(node)) {
                    found.add(node);
                }
            }
        }
        found.sort(Comparator.comparingInt(LocalJob::nodeOf));
        known.keySet().retainAll(found);
        busiest.keySet().retainAll(found);
        return found;
    }

    @Override
    public JobStep step(Asked asked) throws IOException {
        List<NodeSnapshot> nodes = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (Path directory : ownNodes()) {
            try {
                nodes.add(busiest.computeIfAbsent(directory, node -> new BusiestPairs())
                    .of(reader(directory).snapshot(asked.objects())));
            } catch (NoSuchFileException e) {
                continue; // it is being made, or removed
            } catch (IOException | RuntimeException e) { // its files may hold anything
                problems.add(directory + ": " + Shortage.describe(e, directory));
            }
        }
        return new JobStep(nodes, List.of(), problems);
    }

    @Override
    public Map<Integer, List<String>> stacks(JobStatus job, Collection<Rank> ranks, long limitNs) {
        return Stacks.of(ranks, limitNs);
    }
}

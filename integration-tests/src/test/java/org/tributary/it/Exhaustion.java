package org.tributary.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.tributary.launcher.job.OpenFiles;

/**
 * A job of two nodes and four ranks that may have only so much of something. Its shared memory, its temporary files and
 * its traces, which it has when these or descriptors are scarce, are in mounts of its own, which takes root.
 */
record Exhaustion(Resource resource, int limit, boolean inC) {
    /** Servers take long to start on a machine that does other things; a job that hangs takes longer. */
    private static final long DEADLINE_S = 240;
    private static final String ATTACH_TIMEOUT = "90s";
    private static final int RANKS = 4;
    private static final int FILES_OF_A_SHELL = 16;
    private static final String LEFT = "left behind: ";
    private static final Path PIDS = Path.of("/sys/fs/cgroup/pids");

    /** What runs out, and what is said then, by the runtime or, when not even a JVM starts, by that or the loader. */
    enum Resource {
        DESCRIPTORS("open files|ulimit -n|Too many open files|cannot open shared object|Unable to load native"),
        SHARED_MEMORY_KB("No space left|no room for"),
        SHARED_MEMORY_FILES("No space left|no room for"),
        DISK_KB("No space left|no room for"),
        DISK_FILES("No space left|no room for"),
        TRACE_MB("No space left|no room for|MiB free in .*--trace"),
        TRACE_FILES("No space left|no room for"),
        PROCESSES("ulimit -u|native thread|VM thread|Out of system resources|annot fork|archive worker"),
        MEMORY_MB("memory|ulimit -v|class space|OutOfMemory|heap|error while loading|Segmentation fault");

        private final Pattern message;

        Resource(String message) {
            this.message = Pattern.compile(message);
        }

        boolean isTraced() {
            return this == DESCRIPTORS || this == TRACE_MB || this == TRACE_FILES;
        }
    }

    /** How a job ended; no faults when it ended as it should. */
    record Outcome(Exhaustion job, int exitCode, double seconds, String message, List<String> faults) {
        String json() {
            return String.format(Locale.ROOT, "  {\"resource\": \"%s\", \"limit\": %d, \"inC\": %b, \"exitCode\": %d,"
                + " \"seconds\": %.1f, \"faults\": %d, \"message\": \"%s\"}", job.resource, job.limit, job.inC,
                exitCode, seconds, faults.size(), message.replace("\\", "\\\\").replace("\"", "\\\"")
                .replace("\t", " "));
        }
    }

    static boolean canLimitProcesses() {
        return Files.isWritable(PIDS.resolve("cgroup.procs"));
    }

    Outcome run(Place place) throws Exception {
        Path disk = Files.createDirectory(place.work().resolve("disk"));
        Path traces = Files.createDirectory(place.work().resolve("traces"));
        Path group = PIDS.resolve("tributary-test-" + ProcessHandle.current().pid());
        long beganNs = System.nanoTime();
        Running job;
        List<String> faults = new ArrayList<>();
        try {
            ProcessBuilder builder = place.builder(List.of("unshare", "--mount", "--propagation", "private", "sh", "-c",
                script(place, disk, traces, group)));
            builder.environment().putAll(Map.of("TRIBUTARY_ATTACH_TIMEOUT", ATTACH_TIMEOUT,
                "JDK_JAVA_OPTIONS", Place.FAST_START + " -XX:-CreateCoredumpOnCrash -XX:ErrorFile=/dev/null"
                    + " -Djava.io.tmpdir=" + disk));
            job = place.start(builder);
            if (job.runsFor(DEADLINE_S)) {
                faults.add("runs for more than " + DEADLINE_S + " s");
            } else {
                int unused = job.exitCode();
            }
            place.processes().forEach(process -> faults.add("process " + process.pid() + " is left"));
        } finally {
            place.processes().forEach(ProcessHandle::destroyForcibly);
            if (Files.exists(group)) {
                place.await("processes in " + group, () -> isEmpty(group));
                Files.delete(group);
            }
        }
        return judge(job, faults, (System.nanoTime() - beganNs) / 1e9);
    }

    private static boolean isEmpty(Path group) {
        try {
            return Files.readString(group.resolve("cgroup.procs")).isBlank();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Outcome judge(Running job, List<String> faults, double seconds) {
        List<String> lines = job.said().lines().toList();
        lines.stream().filter(line -> line.startsWith(LEFT) && line.length() > LEFT.length()).forEach(faults::add);
        int code = job.isAlive() ? -1 : exitOf(lines);
        List<String> messages = lines.stream().filter(line -> line.startsWith("tributary: ")
            && !line.contains(" still waiting for ")).toList();
        List<String> named = lines.stream().filter(line -> resource.message.matcher(line).find()).toList();
        if (code == 0) {
            long right = lines.stream().filter(line -> line.matches("\\[\\d] right")).count();
            if (right != RANKS || !messages.isEmpty()) {
                faults.add(right + " ranks are right: " + messages);
            }
        } else {
            if (messages.size() > 1) {
                faults.add("the launcher says more than one thing: " + messages);
            }
            if (named.isEmpty()) {
                faults.add("exit code " + code + ", and nothing says what has run out");
            }
        }
        if (!faults.isEmpty()) {
            faults.add(String.join("\n", lines));
        }
        return new Outcome(this, code, seconds, named.isEmpty() || code == 0 ? "" : named.getFirst(), faults);
    }

    private static int exitOf(List<String> lines) {
        return lines.stream().filter(line -> line.startsWith("exit code ")).findFirst()
            .map(line -> Integer.parseInt(line.substring("exit code ".length()))).orElse(-1);
    }

    /** The limits hold for the job alone, and not for the shell that then looks for what it has left. */
    private String script(Place place, Path disk, Path traces, Path group) {
        List<String> command = launcher();
        command.addAll(List.of("run", "--nodes", "2", "--ranks-per-node", Integer.toString(RANKS / 2)));
        if (resource.isTraced()) {
            command.addAll(List.of("--trace", traces.toString()));
        }
        command.addAll(inC ? List.of("--", Path.of(CampaignJob.C_PROGRAM).toAbsolutePath().toString())
            : List.of("--class-path", Path.of("target/test-classes").toAbsolutePath().toString(),
                "org.tributary.it.CampaignRank"));
        command.addAll(List.of("3", "1"));
        String quoted = command.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
        String forTheJob = switch (resource) {
            case DESCRIPTORS -> "ulimit -n " + limit + " && ";
            case MEMORY_MB -> "ulimit -v " + limit * 1024L + " && ";
            case PROCESSES -> "mkdir " + group + " && echo " + limit + " > " + group + "/pids.max"
                + " && sh -c 'echo $PPID' > " + group + "/cgroup.procs && ";
            default -> "";
        };
        return mount(place.shm(), "k", Resource.SHARED_MEMORY_KB, Resource.SHARED_MEMORY_FILES)
            + mount(disk, "k", Resource.DISK_KB, Resource.DISK_FILES)
            + mount(traces, "m", Resource.TRACE_MB, Resource.TRACE_FILES) + "(" + forTheJob + "exec " + quoted + ")\n"
            + "echo exit code $?\necho '" + LEFT + "'$(ls -A " + place.shm() + " " + disk + " | grep -v ':$')\n";
    }

    /** As users call it where a JVM may not open its class path, which the script says, and a shell still runs. */
    private List<String> launcher() {
        return resource == Resource.DESCRIPTORS && limit >= FILES_OF_A_SHELL && limit < OpenFiles.OF_A_JVM
            ? new ArrayList<>(List.of(Path.of("..", "tributary").toAbsolutePath().normalize().toString()))
            : Place.launcher();
    }

    private String mount(Path where, String unit, Resource bytes, Resource files) {
        String options = resource == bytes ? "size=" + limit + unit : "size=512m";
        return "mount -t tmpfs -o " + options + (resource == files ? ",nr_inodes=" + limit : "") + " none " + where
            + " || exit\n";
    }

    @Override
    public String toString() {
        return "-Dcampaign.exhaustion=" + resource + ":" + limit + ":" + (inC ? "c" : "java");
    }

    static Exhaustion parse(String text) {
        String[] parts = text.split(":");
        return new Exhaustion(Resource.valueOf(parts[0]), Integer.parseInt(parts[1]), parts[2].equals("c"));
    }
}

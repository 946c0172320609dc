package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.tributary.it.Exhaustion.Resource;
import org.tributary.testsupport.ToleratesErrors;

/**
 * Too little of something, and more and more of it, so that it runs out at each step of a start: the job is right or
 * ends in time, the launcher says one thing, somebody says what has run out, and nothing is left.
 */
@Isolated("it takes what all need")
class ExhaustionTest {
    private static final Path REPORT = Path.of("target", "campaign", "exhaustion.json");

    @BeforeEach
    void needMounts() throws Exception {
        boolean can = new ProcessBuilder("sh", "-c", "unshare --mount --propagation private mount -t tmpfs none /mnt")
            .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() == 0;
        assumeTrue(can, "limits of shared memory and disk are mounts of a job's own, which takes root and unshare");
    }

    /** The command, its temporary files, and the sockets of its servers. */
    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void shouldSayWhatHasRunOutWhenThereIsTooLittleToStart() throws Exception {
        assertEquals(List.of(), faults(run(List.of(new Exhaustion(Resource.DESCRIPTORS, 40, false),
            new Exhaustion(Resource.DISK_FILES, 3, false), new Exhaustion(Resource.SHARED_MEMORY_KB, 64, false)))));
    }

    @Test
    @Tag("campaign")
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    @ToleratesErrors({"native thread|insufficient memory|OutOfMemoryError",
        "listener notification|Too many open files"})
    void shouldSayWhatHasRunOutAtEachStepOfTheStart() throws Exception {
        String some = System.getProperty("campaign.exhaustion");
        List<Exhaustion.Outcome> outcomes = run(some == null ? all()
            : Stream.of(some.split(",")).map(Exhaustion::parse).toList());
        Files.createDirectories(REPORT.getParent());
        Files.writeString(REPORT, outcomes.stream().map(Exhaustion.Outcome::json)
            .collect(Collectors.joining(",\n", "[\n", "\n]\n")));
        assertEquals(List.of(), faults(outcomes));
    }

    private static List<Exhaustion> all() {
        List<Exhaustion> all = new ArrayList<>();
        add(all, Resource.DESCRIPTORS, IntStream.of(4, 6, 8, 10, 16, 32, 64, 96, 120, 128, 136, 144, 160, 200));
        add(all, Resource.SHARED_MEMORY_KB, IntStream.of(4, 64, 68, 128, 256, 512, 768, 1024, 1400, 1600, 1800, 2048));
        add(all, Resource.SHARED_MEMORY_FILES, IntStream.rangeClosed(1, 14));
        add(all, Resource.DISK_KB, IntStream.of(4, 8, 16, 64, 128, 256, 512));
        add(all, Resource.DISK_FILES, IntStream.rangeClosed(1, 8));
        add(all, Resource.TRACE_MB, IntStream.of(1, 15, 16, 33, 48, 63, 64, 65, 80));
        add(all, Resource.TRACE_FILES, IntStream.rangeClosed(1, 6));
        add(all, Resource.MEMORY_MB, IntStream.of(20, 300, 900, 1500, 2000, 2300, 2600, 2900, 3200, 3500, 4000));
        if (Exhaustion.canLimitProcesses()) {
            add(all, Resource.PROCESSES, IntStream.of(1, 3, 8, 12, 16, 20, 25, 30, 35, 40, 45, 50, 60, 70, 80, 100));
        } else {
            System.out.println("exhaustion: no control group that limits processes at /sys/fs/cgroup/pids");
        }
        return all;
    }

    private static void add(List<Exhaustion> all, Resource resource, IntStream limits) {
        limits.forEach(limit -> {
            all.add(new Exhaustion(resource, limit, false));
            if (CampaignJob.hasC()) {
                all.add(new Exhaustion(resource, limit, true));
            }
        });
    }

    private static List<Exhaustion.Outcome> run(List<Exhaustion> jobs) throws Exception {
        List<Exhaustion.Outcome> outcomes = new ArrayList<>();
        for (Exhaustion job : jobs) {
            try (Place place = new Place()) {
                Exhaustion.Outcome outcome = job.run(place);
                outcomes.add(outcome);
                System.out.printf("%s: exit code %d after %.1f s: %s%s%n", job, outcome.exitCode(), outcome.seconds(),
                    outcome.message(), outcome.faults().isEmpty() ? "" : " FAULT " + outcome.faults());
            }
        }
        return outcomes;
    }

    private static List<String> faults(List<Exhaustion.Outcome> outcomes) {
        return outcomes.stream().filter(outcome -> !outcome.faults().isEmpty())
            .map(outcome -> outcome.job() + ": " + outcome.faults()).toList();
    }
}

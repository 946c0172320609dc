package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.config.ProcessFiles;

/** Jobs that are started anew when they have lost a process ({@code run --restarts}). */
class RestartTest {
    private static final int RANKS = 4;
    private static final int MOST_JOBS = 10;

    private final Place place = new Place();

    @AfterEach
    void close() {
        place.close();
    }

    /**
     * Random ranks are killed at random moments, many of which lie in the writing of a checkpoint: the program goes on
     * from the last one each time, and its answer is right. A job that was too quick for all kills is followed by
     * another one.
     */
    @ParameterizedTest
    @CsvSource({"lu --class S --warmup 0 --checkpoint-every 1, step, 3",
        "scf --molecule water-cluster, iteration, 1"})
    void shouldGoOnFromTheCheckpointWhenRanksAreKilled(String program, String unit, int wanted) throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed of the kills: " + seed);
        Random random = new Random(seed);
        Path file = place.work().resolve("checkpoint");
        int kills = 0;
        for (int jobs = 0; kills < wanted && jobs < MOST_JOBS; jobs++) {
            Files.deleteIfExists(file);
            Running job = place.tributary(("run --restarts " + wanted + " --layout 2*2 " + program + " --checkpoint "
                + file).split(" "));
            int restarts = 0;
            while (kills + restarts < wanted && isKilled(job, file, random, restarts + 1)) {
                restarts++;
            }
            kills += restarts;
            String problem = "seed " + seed + ": " + job;
            assertEquals(0, job.exitCode(), problem);
            assertTrue(job.out().stream().anyMatch(line -> line.matches("\\[0] verification: .*: passed")), problem);
            int[] steps = Pattern.compile("goes on from " + unit + " (\\d+)").matcher(job.said()).results()
                .mapToInt(line -> Integer.parseInt(line.group(1))).toArray();
            assertTrue(steps.length >= restarts && steps.length <= restarts + 1, problem);
            for (int i = 0; i < steps.length; i++) {
                assertTrue(steps[i] >= (i == 0 ? 1 : steps[i - 1]), problem);
            }
        }
        assertEquals(wanted, kills, "kills that hit, seed " + seed);
        place.assertNothingLeft();
    }

    /** Kills a rank soon after some checkpoints; false if the job has ended before. */
    private boolean isKilled(Running job, Path file, Random random, int restart) {
        awaitAnother(job, file);
        String victim = Integer.toString(random.nextInt(RANKS));
        List<ProcessHandle> found = place.processes().stream()
            .filter(process -> ProcessFiles.of(process).findsVariable("TRIBUTARY_RANK", victim)).toList();
        for (int left = random.nextInt(4); left > 0; left--) {
            awaitAnother(job, file);
        }
        LockSupport.parkNanos(random.nextInt(5_000_000));
        found.forEach(process -> Place.signal("KILL", process.pid()));
        place.await("no restart", () -> job.err().contains(": restart " + restart + " of ") || !job.isAlive());
        return job.isAlive();
    }

    private void awaitAnother(Running job, Path file) {
        String before = state(file);
        place.awaitMoment("no other checkpoint", () -> !state(file).equals(before) || !job.isAlive());
    }

    /** Another one for each checkpoint. */
    private static String state(Path file) {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return attributes.fileKey() + " " + attributes.lastModifiedTime();
        } catch (java.io.IOException e) {
            return "none";
        }
    }

    /** What rank 0 does in its first, second, third … job; how often the program then ran, and the exit code. */
    @ParameterizedTest
    @CsvSource({"2, 1, kill -9 $$, 2, 0", "2, 9, kill -9 $$, 3, 137", "0, 9, kill -9 $$, 1, 137", "5, 9, exit 3, 1, 3",
        "5, 9, kill $PPID; sleep 50, 1, 143"})
    void shouldStartAnewOnlyWhenAProcessWasLost(int restarts, int failures, String failure, int runs, int code)
        throws Exception {
        Running job = place.tributary("run", "--restarts", Integer.toString(restarts), "--layout", "2", "--", "/bin/sh",
            "-c", "[ $TRIBUTARY_RANK = 0 ] || exit 0; echo once more >> runs; [ $(wc -l < runs) -gt " + failures
                + " ] || { " + failure + "; }");
        assertEquals(code, job.exitCode(), job::toString);
        assertEquals(runs, Files.readAllLines(place.work().resolve("runs")).size(), job::toString);
        assertEquals(runs - 1, job.err().lines().filter(line -> line.startsWith("tributary: starting the job anew"))
            .count(), job::toString);
        place.assertNothingLeft();
    }
}

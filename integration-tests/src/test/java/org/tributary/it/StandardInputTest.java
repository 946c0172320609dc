package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rank 0 reads the standard input of the launcher, whatever that is; nobody else does, and nobody waits for it. */
class StandardInputTest {
    /** Each rank says how many lines it could read, and the last of them. */
    private static final String COUNT = "n=0; while read -r line; do n=$((n + 1)); last=$line; done;"
        + " echo read $n $last";

    private final Place place = new Place();

    @AfterEach
    void close() {
        place.close();
    }

    /** A launcher, in a shell that gives it its input; the words of its command line are in {@code "$@"}. */
    private Running run(String layout, String shell, String rank) {
        return place.start(place.builder(command(layout, shell, rank)));
    }

    private static List<String> command(String layout, String shell, String rank, String... options) {
        List<String> command = new ArrayList<>(List.of("/bin/bash", "-c", shell, "bash"));
        command.addAll(Place.launcher());
        command.addAll(List.of("run", "--layout", layout));
        command.addAll(List.of(options));
        command.addAll(List.of("--", "/bin/sh", "-c", rank));
        return command;
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "1,1; seq 5000 | \"$@\"         ; [0] read 5000 5000",
        "2;   \"$@\" < numbers          ; [0] read 3 three",
        "2;   \"$@\" < /dev/null        ; [0] read 0",
        "2;   \"$@\" <&-                ; [0] read 0",
        "2;   \"$@\" 0> for-writing     ; [0] read 0"})
    void shouldGiveItToRank0Alone(String layout, String shell, String expected) throws Exception {
        Files.writeString(place.work().resolve("numbers"), "one\ntwo\nthree\n");
        Running job = run(layout, shell, COUNT);
        assertEquals(0, job.exitCode(), job::toString);
        assertEquals(List.of(expected, "[1] read 0"), job.out().stream().sorted().toList());
        place.assertNothingLeft();
    }

    /** Its writer goes on for ever; its reader takes one line. */
    @Test
    void shouldEndWhenTheInputDoesNot() throws Exception {
        Running job = run("2", "yes endless | \"$@\"", "read -r line; echo read $line");
        assertEquals(0, job.exitCode(), job::toString);
        assertEquals(List.of("[0] read endless", "[1] read"), job.out().stream().map(String::strip).sorted().toList());
        place.assertNothingLeft();
    }

    /** Nobody reads or writes it; it stays open. */
    @Test
    void shouldEndWhenNobodyReadsAnOpenPipe() throws Exception {
        Running job = run("2", "mkfifo silent; exec 3<>silent; exec \"$@\" <silent", "echo done");
        assertEquals(0, job.exitCode(), job::toString);
        place.assertNothingLeft();
    }

    @Test
    void shouldTakeNothingThatRank0DoesNotRead() throws Exception {
        Files.writeString(place.work().resolve("numbers"), "one\n");
        Running job = run("2", "(\"$@\"; cat) < numbers", "echo done");
        assertEquals(0, job.exitCode(), job::toString);
        assertTrue(job.out().contains("one"), job::toString);
    }

    @Test
    void shouldReadTheTerminalWhenInTheForeground() throws Exception {
        Running job = atTerminal("(sleep 1; printf 'typed\\n\\004') | ", "\"$@\"", COUNT);
        assertEquals(0, job.exitCode(), job::toString);
        assertTrue(says(job, "[0] read 1 typed"), job::toString);
        place.assertNothingLeft();
    }

    /** What was typed while the former job's end was dealt with, or after, is not lost. */
    @Test
    void shouldReadOnAtTheTerminalWhenTheJobIsStartedAnew() throws Exception {
        Running job = atTerminal("(sleep 1; printf 'one\\n'; until [ -e again ]; do sleep 0.05; done;"
            + " printf 'two\\n\\004'; until [ -e done ]; do sleep 0.05; done) | ", "\"$@\"",
            "[ $TRIBUTARY_RANK = 0 ] || exit 0; [ ! -e first ] || : > again; : > first;"
                + " read -r line; echo got $line; [ $line = two ] || kill -9 $$; : > done", "--restarts", "1");
        assertEquals(0, job.exitCode(), job::toString);
        assertTrue(says(job, "[0] got one") && says(job, "[0] got two"), job::toString);
        place.assertNothingLeft();
    }

    /** A job of the shell that is stopped for reading the terminal would never end. */
    @Test
    void shouldNotStopWhenInTheBackgroundOfAShell() throws Exception {
        Running job = atTerminal("sleep 60 | ", "set -m; \"$@\" & wait; echo ended $?",
            "[ $TRIBUTARY_RANK = 1 ] || timeout 2 cat; echo done");
        job.awaitLine("ended 0.*");
        assertTrue(says(job, "[0] done") && says(job, "[1] done"), job::toString);
        place.processes().forEach(ProcessHandle::destroyForcibly); // script, which waits for the sleeping writer
    }

    /** On a terminal a slow start has shown how far it is, and has erased it, before the first line. */
    private static boolean says(Running job, String line) {
        return job.out().stream().anyMatch(said -> said.endsWith(line));
    }

    /** In a terminal of its own (script(1)), whose keys are what {@code typing} writes. */
    private Running atTerminal(String typing, String shell, String rank, String... options) throws Exception {
        Path script = Path.of("/usr/bin/script");
        Assumptions.assumeTrue(Files.isExecutable(script), "needs script(1) of bsdutils or util-linux");
        String words = command("2", shell, rank, options).stream().map(word -> "'" + word.replace("'", "'\\''") + "'")
            .collect(Collectors.joining(" "));
        Path file = Files.writeString(place.work().resolve("at-terminal"), words + "\n");
        ProcessBuilder builder = place.builder(List.of("/bin/bash", "-c",
            typing + script + " -qec '/bin/bash " + file + "' /dev/null | tr -d '\\r'"));
        return place.start(builder);
    }
}

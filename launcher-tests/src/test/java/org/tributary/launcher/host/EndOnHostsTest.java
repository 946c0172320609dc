package org.tributary.launcher.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.tributary.launcher.host.JobOnHosts.AS_IT_IS;
import static org.tributary.launcher.host.JobOnHosts.NAMED;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.launcher.job.ExitCodes;
import org.tributary.launcher.job.Pager;

/** How jobs end whose hosts are this machine under other names, and what is said and printed then. */
class EndOnHostsTest {
    private static final String FOR_EVER = "while :; do sleep 0.05; done";

    @TempDir
    private Path directory;
    private JobOnHosts job;

    @BeforeEach
    void makeJob() {
        job = new JobOnHosts(directory);
    }

    @Test
    void shouldShowAllThatAFailedRankHasPrintedWhenItIsMoreThanTheConnectionHolds() throws Exception {
        assertEquals(7, job.run("[ $TRIBUTARY_RANK = 0 ] || exec sleep 1000; seq 100000; seq 1000 >&2; exit 7", "a:2",
            AS_IT_IS));
        assertEquals(100_000, job.output().lines().filter(line -> line.startsWith("[0 a] ")).count());
        assertTrue(job.output().endsWith(" 100000\n"));
        assertEquals(1_000, job.errors().lines().filter(line -> line.matches("\\[0 a] \\d+")).count());
        assertTrue(job.errors().contains("exited with code 7\n"), job.errors());
    }

    /** It has said goodbye, and takes longer to end than one that waits for it on another host. */
    @Test
    void shouldNameNodeAndHostOfTheRankThatLeftWhenItHasNotEnded() throws Exception {
        JobOnHosts.assumeNamesCanBeGiven();
        assertEquals(5, job.run("[ $TRIBUTARY_RANK = 1 ] || exec sleep 1000;"
            + " echo 'rank 0 has left the job while rank 1 waits for it' >&2; exit 5", "a:1,b:1", NAMED), job::errors);
        assertTrue(job.errors().matches("(?s).*tributary: rank 0 \\(node 0, host a\\) left the job while others still"
            + " needed it; so rank 1 \\(node 1, host b, pid \\d+\\) exited with code 5\n"), job.errors());
    }

    /** It is stopped as it ends what its rank has left behind. */
    @Test
    void shouldSayThatOutputIsMissingWhenAnAgentDoesNotTellItsEnd() throws Exception {
        Path up = directory.resolve("up");
        job.set("job.grace=10s");
        assertEquals(ExitCodes.FAILURE, job.run("agent=$PPID; (trap 'kill -STOP '$agent';"
            + " rm -r \"$(dirname \"$TRIBUTARY_SECRET_FILE\")\"; exit' TERM; : > " + up + "; " + FOR_EVER
            + ") > /dev/null 2>&1 & until [ -e " + up + " ]; do sleep 0.05; done; echo done", "a:1", AS_IT_IS));
        assertEquals("[0 a] done\n", job.output());
        assertEquals("tributary: output is missing: the end of that of host a has not come\n", job.errors());
    }

    /** It is killed as its server ends, while that of another host still does. */
    @Test
    void shouldSayThatOutputIsMissingWhenAnAgentIsLostWhileTheJobCloses() throws Exception {
        JobOnHosts.assumeNamesCanBeGiven();
        String agent = "$(cat '" + directory + "'/agent)";
        job.server("/bin/sh", "-c", """
            echo "tributary server ready: node $TRIBUTARY_NODE, address 127.0.0.1:$((1000 + TRIBUTARY_NODE)), pid $$"
            while read -r line; do
                [ "$line" = end ] || continue
                [ $TRIBUTARY_NODE = 0 ] || { kill -KILL %s; continue; }
                while kill -0 %1$s 2>/dev/null; do sleep 0.05; done
                sleep 0.5 # most often the launcher hears of the agent's end first
                exit 0
            done
            rm -r "$(dirname "$TRIBUTARY_SECRET_FILE")"
            """.formatted(agent));
        assertEquals(ExitCodes.FAILURE, job.run("[ $TRIBUTARY_RANK = 0 ] || echo $PPID > '" + directory + "'/agent;"
            + " echo done", "a:1,b:1", NAMED), job::errors);
        assertEquals("tributary: output is missing: the end of that of host b has not come\n", job.errors());
    }

    @Test
    void shouldNotWaitForAReaderForEverWhenASignalHasEndedTheJob() throws Exception {
        Pager pager = new Pager();
        Path up = directory.resolve("up");
        job.reader(pager);
        CompletableFuture<Void> sender = job.signalWhen(() -> Files.exists(up), ExitCodes.SIGTERM);
        assertEquals(143, job.run(": > " + up + "; exec yes", "a:1", AS_IT_IS), job::errors);
        assertTrue(job.errors().startsWith("tributary: ending the job: received SIGTERM\n"), job.errors());
        assertEquals("", pager.text());
        pager.read();
        sender.join();
    }

    @Test
    void shouldGiveUpHostsAtTheNextSignalWhenTheTimeForOutputIsOver() throws Exception {
        Path up = directory.resolve("up");
        job.set("job.grace=50s");
        CompletableFuture<Void> first = job.signalWhen(() -> Files.exists(up), ExitCodes.SIGTERM);
        CompletableFuture<Void> second = job.signalWhen(() -> job.errors().contains("to end; a signal gives them up\n"),
            ExitCodes.SIGTERM);
        assertEquals(143, job.run(": > " + up + "; exec sleep 1000", "a:1", "\"$@\"; exec sleep 1000\n"), job::errors);
        assertEquals("tributary: ending the job: received SIGTERM\n"
            + "tributary: waiting for the agents on hosts to end; a signal gives them up\n"
            + "tributary: giving up hosts whose agents have not ended: received SIGTERM\n", job.errors());
        first.join();
        second.join();
    }

    @ParameterizedTest
    @CsvSource({"1, SIGHUP", "2, SIGINT", "15, SIGTERM"})
    void shouldSayWhyAndGiveRanksTheirGraceWhenSignalled(int signal, String name) throws Exception {
        CompletableFuture<Void> sender = job.signalWhen(() -> job.output().contains("running"), signal);
        assertEquals(128 + signal, job.run("trap 'echo graceful; exit 3' TERM HUP INT; echo running; " + FOR_EVER,
            "a:1", "exec env --default-signal=INT,HUP \"$@\"\n"), job::errors);
        assertEquals("[0 a] running\n[0 a] graceful\n", job.output());
        assertTrue(job.errors().startsWith("tributary: ending the job: received " + name + "\n"), job.errors());
        assertEquals(1, job.errors().lines().filter(line -> line.startsWith("tributary: ")).count(), job.errors());
        sender.join();
    }

    @ParameterizedTest
    @CsvSource({"3, SIGQUIT", "10, SIGUSR1"})
    void shouldReportAndGoOnWhenAReportIsAskedFor(int signal, String name) throws Exception {
        Path go = directory.resolve("go");
        CompletableFuture<Void> sender = job.signalWhen(() -> job.output().contains("running"), signal);
        CompletableFuture<Void> end = JobOnHosts.meanwhile(() -> {
            job.await(() -> job.errors().contains("who waits for whom (" + name + "):"));
            job.signal(ExitCodes.SIGTERM);
        });
        assertEquals(143, job.run("trap 'exit 3' TERM; echo running; until [ -e " + go + " ]; do sleep 0.05; done",
            "a:1", AS_IT_IS), job::errors);
        assertTrue(job.errors().startsWith("tributary: who waits for whom (" + name + "):\n"), job.errors());
        assertTrue(job.errors().contains("\ntributary: ending the job: received SIGTERM\n"), job.errors());
        sender.join();
        end.join();
    }

    @Test
    void shouldSayWhichHostHasNotEndedWhenAskedWhileTheJobIsEnded() throws Exception {
        Path go = directory.resolve("go");
        job.set("job.grace=50s");
        CompletableFuture<Void> first = job.signalWhen(() -> job.output().contains("running"), ExitCodes.SIGTERM);
        CompletableFuture<Void> second = job.signalWhen(() -> job.output().contains("ending"), ExitCodes.SIGQUIT);
        CompletableFuture<Void> last = JobOnHosts.meanwhile(() -> {
            job.await(() -> job.errors().contains("what has not ended: host a (SIGQUIT)"));
            JobOnHosts.touch(go);
        });
        assertEquals(143, job.run("trap 'echo ending; until [ -e " + go + " ]; do sleep 0.05; done; exit 3' TERM;"
            + " echo running; " + FOR_EVER, "a:1", AS_IT_IS), job::errors);
        assertTrue(job.errors().contains("tributary: the job is being ended; what has not ended: host a (SIGQUIT)\n"),
            job.errors());
        first.join();
        second.join();
        last.join();
    }

    @Test
    void shouldEndWith124GivingRanksTheirGraceWhenTimeIsUp() throws Exception {
        Path up = directory.resolve("up");
        for (long seconds = 4; Files.notExists(up); seconds *= 2) { // until it is enough for the ranks to start
            job = new JobOnHosts(Files.createDirectory(directory.resolve("of-" + seconds))).timeoutMs(seconds * 1_000);
            assertEquals(ExitCodes.TIMEOUT, job.run("trap 'echo graceful; exit 3' TERM; : > " + up + "; " + FOR_EVER,
                "a:1", AS_IT_IS), job::errors);
        }
        assertEquals("[0 a] graceful\n", job.output());
        assertTrue(job.errors().contains("tributary: what the job does as its time is up (--timeout):\n"),
            job.errors());
        assertTrue(job.errors().lines().anyMatch(line ->
            line.matches("tributary: ending the job: it ran longer than [\\d.]+ s \\(--timeout\\)")), job.errors());
    }

    @Test
    void shouldEndWith124NamingTheHostWhenTimeIsUpBeforeItHasAnswered() throws Exception {
        job.timeoutMs(500);
        assertEquals(ExitCodes.TIMEOUT, job.run("echo never", "silent:1", "exec sleep 1000\n"));
        assertEquals("", job.output());
        assertEquals("tributary: ending the job: it has not started within 0.5 s (--timeout); host silent not ready\n",
            job.errors());
    }
}

package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.tributary.client.error.AttachException;
import org.tributary.client.link.JobFailure;
import org.tributary.client.remote.Handle;
import org.tributary.client.testing.TestJob;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.wire.RankState;
import org.tributary.wire.shm.NodeDirectory;

/** A process that ends without {@link Gas#close}: its server hears that the rank has left. */
class ExitTest {
    private static final int CODE = 3;
    private static final long MUCH = 64 << 20;
    private static final long DEADLINE_S = 200;

    /** Rank 0, which ends while much of what it has sent is still to leave. */
    static final class Ends {
        private Ends() {
        }

        public static void main(String[] arguments) {
            Gas gas = Gas.attach();
            GlobalMemory memory = gas.allocate(0);
            Handle handle = gas.deferredHandle();
            memory.nbPut(handle, 1, 0, Arena.global().allocate(MUCH), 0, MUCH);
            System.exit(CODE);
        }
    }

    /** Rank 0, of a job that has failed already. */
    static final class Attaches {
        private Attaches() {
        }

        public static void main(String[] arguments) {
            Gas.attach().close();
        }
    }

    private static Process start(Class<?> main, JobEnvironment job, Settings settings) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream().filter(option -> option.startsWith("--"))
            .forEach(command::add);
        command.addAll(List.of("-ea", "-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp",
            System.getProperty("java.class.path"), main.getName()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(settings.toEnvironment());
        builder.environment().put("TRIBUTARY_JOB_ON_FAILURE", "exit");
        builder.environment().remove("JDK_JAVA_OPTIONS"); // of which a JVM says that it has found them
        builder.environment().putAll(job.toEnvironment());
        return builder.start();
    }

    /** It would wait for as long as that server stands still, and the own one would not hear of it. */
    @Test
    void shouldLeaveWhenAServerTakesNothingOfWhatIsStillToBeSent() throws Exception {
        try (TestJob job = TestJob.startStalling("1,1"); Gas other = job.attach(1)) {
            Process ends = start(Ends.class, job.environmentOf(0), job.settings());
            try {
                other.allocate(MUCH);
                assertTrue(ends.waitFor(DEADLINE_S, TimeUnit.SECONDS), "still runs");
                assertEquals(CODE, ends.exitValue());
                while (other.access().stateOf(0) != RankState.DEPARTED) {
                    Thread.sleep(1);
                }
            } finally {
                ends.destroyForcibly().waitFor();
            }
        }
    }

    /** What a process says that attaches, and ends as those of ranks that have attached in time. */
    private static String attachInVain(JobEnvironment rank, Settings settings) throws Exception {
        Process late = start(Attaches.class, rank, settings);
        try {
            String said = new String(late.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(late.waitFor(DEADLINE_S, TimeUnit.SECONDS), "still runs");
            assertEquals(JobFailure.EXIT_CODE, late.exitValue(), said);
            return said;
        } finally {
            late.destroyForcibly().waitFor();
        }
    }

    /** As the ranks that have attached in time, and in one line. Rank 1, which has not left, keeps the server. */
    @Test
    void shouldEndWithTheJobWhenItAttachesAfterAFailure() throws Exception {
        try (TestJob job = TestJob.start("2", "job.grace=50s"); Gas other = job.attach(1)) {
            job.server(0).abort("rank " + other.rank() + " has had enough");
            String said = attachInVain(job.environmentOf(0), job.settings());
            assertTrue(said.startsWith("tributary: rank 0 ends: "), said);
            assertTrue(said.endsWith(" refused the connection: ENDING, the job is ending: rank 1 has had enough\n"),
                said);
            assertEquals(1, said.lines().count(), said);
        }
    }

    @Test
    void shouldThrowWhenItAttachesAfterTheEndAndFailuresAreToldByExceptions() {
        try (TestJob job = TestJob.start("2", "job.grace=50s"); Gas other = job.attach(1)) {
            job.server(0).abort("rank " + other.rank() + " has had enough");
            AttachException refused = assertThrows(AttachException.class, () -> job.attach(0));
            assertTrue(refused.getMessage().endsWith("the job is ending: rank 1 has had enough"), refused::getMessage);
        }
    }

    /** What a server leaves that was killed, or has not removed everything yet. */
    @Test
    void shouldEndInOneLineWhenItAttachesToAServerThatIsGone() throws Exception {
        JobEnvironment rank;
        Settings settings;
        try (TestJob job = TestJob.start("1")) {
            rank = job.environmentOf(0);
            settings = job.settings();
        }
        NodeDirectory directory = NodeDirectory.of(settings.shmDirectory(), rank.jobId(), 0);
        Files.createDirectory(directory.path(), PosixFilePermissions.asFileAttribute(
            PosixFilePermissions.fromString("rwx------")));
        Files.createFile(directory.path().resolve("lock-99-1")); // nobody holds it
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(directory.socket()));
        }
        assertEquals("tributary: rank 0 ends: the communication server of node 0 is gone\n",
            attachInVain(rank, settings));
        assertFalse(Files.exists(directory.path()));
    }
}

package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tributary.client.remote.Handle;
import org.tributary.client.testing.TestJob;
import org.tributary.config.JobEnvironment;
import org.tributary.wire.RankState;

/** A process that ends without {@link Gas#close}: its server hears that the rank has left. */
@Timeout(60)
class ExitTest {
    private static final int CODE = 3;
    private static final long MUCH = 64 << 20;
    private static final long DEADLINE_S = 50;

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

    private static Process start(Class<?> main, JobEnvironment job, TestJob of) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream().filter(option -> option.startsWith("--"))
            .forEach(command::add);
        command.addAll(List.of("-ea", "-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp",
            System.getProperty("java.class.path"), main.getName()));
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        builder.environment().putAll(of.settings().toEnvironment());
        builder.environment().putAll(job.toEnvironment());
        return builder.start();
    }

    /** It would wait for as long as that server stands still, and the own one would not hear of it. */
    @Test
    void shouldLeaveWhenAServerTakesNothingOfWhatIsStillToBeSent() throws Exception {
        try (TestJob job = TestJob.startStalling("1,1"); Gas other = job.attach(1)) {
            Process ends = start(Ends.class, job.environmentOf(0), job);
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
}

package org.tributary.wire.stress;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.testsupport.StressRun;

/** Runs the stress tests of this package, briefly; longer with {@code -Dtributary.stress.millis}. */
class StressTest {
    private static final int MILLIS = Integer.getInteger("tributary.stress.millis", 300);
    private static final int TESTS = 26;

    @Test
    @Timeout(value = 40, unit = TimeUnit.MINUTES)
    void shouldSeeOnlyNamedOutcomesWhenSharedWordsAreRacedFor(@TempDir Path directory)
        throws IOException, InterruptedException {
        StressRun.assertOnlyNamedOutcomes("org.tributary.wire.stress", TESTS, MILLIS,
            "--enable-native-access=ALL-UNNAMED", List.of(), directory);
    }
}

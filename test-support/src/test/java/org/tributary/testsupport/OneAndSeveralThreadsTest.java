package org.tributary.testsupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.testkit.engine.EngineTestKit;

/** With how many event loops servers start, as tests of a class see it. */
class OneAndSeveralThreadsTest {
    private static final Queue<String> SEEN = new ConcurrentLinkedQueue<>();
    private static final String ONE = "server.threads=1";
    private static final String SEVERAL = "server.threads=4";

    @BeforeEach
    void forget() {
        assumeTrue(System.getProperty(ServerThreads.PROPERTY) == null, "all tests run with one number");
        SEEN.clear();
    }

    private static List<String> run(Class<?> samples) {
        SEEN.clear();
        EngineTestKit.engine("junit-jupiter")
            .configurationParameter("junit.jupiter.extensions.autodetection.enabled", "true")
            .selectors(DiscoverySelectors.selectClass(samples)).execute().testEvents()
            .assertStatistics(events -> events.failed(0));
        return List.copyOf(SEEN);
    }

    @Test
    void shouldRunEachTestWithBothWhenTheClassSaysSo() {
        assertEquals(List.of(ONE, ONE, SEVERAL, SEVERAL), run(Both.class));
    }

    @Test
    void shouldRunTestsWithEitherAndAlwaysTheSameWhenServersStartInOnePlace() {
        List<String> seen = run(Either.class);
        assertEquals(Set.of(ONE, SEVERAL), new TreeSet<>(seen));
        assertEquals(seen, run(Either.class));
    }

    @OneAndSeveralThreads
    static class Both {
        @BeforeEach
        void start() {
            SEEN.add(ServerThreads.setting("any"));
        }

        @Test
        void one() {
            // starts a server
        }

        @Test
        void another() {
            // starts a server
        }
    }

    static class Either {
        @BeforeEach
        void start() {
            SEEN.add(ServerThreads.setting(""));
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
        void many(int invocation) {
            assertEquals(invocation, invocation);
        }
    }
}

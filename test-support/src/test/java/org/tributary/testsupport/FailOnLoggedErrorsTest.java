package org.tributary.testsupport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

final class FailOnLoggedErrorsTest {
    private static EngineExecutionResults run(String method) {
        return EngineTestKit.engine("junit-jupiter")
            .configurationParameter("junit.jupiter.extensions.autodetection.enabled", "true")
            .selectors(DiscoverySelectors.selectMethod(Samples.class, method)).execute();
    }

    private static List<String> failures(Class<?> samples) {
        return failures(EngineTestKit.engine("junit-jupiter")
            .configurationParameter("junit.jupiter.extensions.autodetection.enabled", "true")
            .selectors(DiscoverySelectors.selectClass(samples)).execute());
    }

    private static List<String> failures(EngineExecutionResults results) {
        return results.allEvents().failed().stream().map(FailOnLoggedErrorsTest::message).toList();
    }

    private static String message(Event failed) {
        return failed.getPayload(org.junit.platform.engine.TestExecutionResult.class).orElseThrow()
            .getThrowable().orElseThrow().toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"serverWarns", "serverFails", "nobodyCatches", "tailOfPipeline", "sanitizer",
        "childWithAnException", "childOfC", "childOfJava"})
    void shouldFailWhenAnErrorIsLogged(String method) {
        List<String> failures = failures(run(method));
        assertEquals(1, failures.size(), failures.toString());
        assertTrue(failures.getFirst().contains("the test logged 1 errors"), failures.toString());
        assertTrue(failures.getFirst().contains("the text of " + method), failures.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"logsLittle", "expects", "expectsLate", "tolerates", "toleratesNothing",
        "childSaysHowTheJobEnds", "childIsKilledWhileItSaysSo"})
    void shouldPassWhenNothingUnexpectedIsLogged(String method) {
        assertEquals(List.of(), failures(run(method)));
    }

    @Test
    void shouldFailWhenAnExpectedErrorDoesNotCome() {
        List<String> failures = failures(run("expectsInVain"));
        assertEquals(1, failures.size(), failures.toString());
        assertTrue(failures.getFirst().contains("did not log the errors that it expects: [the text of nobody]"),
            failures.toString());
    }

    @Test
    void shouldFailOnlyOnceWhenATestLogs() {
        assertEquals(1, failures(run("serverFails")).size());
        assertEquals(List.of(), failures(run("logsLittle")));
    }

    @Test
    void shouldFailWhenABufferHasLeaked() {
        List<String> failures = failures(run("leaks"));
        assertEquals(1, failures.size(), failures.toString());
        assertTrue(failures.getFirst().contains("LEAK: "), failures.toString());
    }

    @Test
    void shouldFailWhenAnErrorComesAfterTheTests() {
        List<String> failures = failures(Late.class);
        assertEquals(1, failures.size(), failures.toString());
        assertTrue(failures.getFirst().contains("after its tests"), failures.toString());
    }

    @Test
    void shouldWantEachExpectedErrorOfAClassOnce() {
        assertEquals(List.of(), failures(Together.class));
        List<String> failures = failures(TogetherInVain.class);
        assertEquals(1, failures.size(), failures.toString());
        assertTrue(failures.getFirst().contains("the text of nobody"), failures.toString());
    }

    @Test
    void shouldFindWhatAProcessSaysAfterTheTestThatStartedIt() {
        String failures = failures(Surviving.class).toString();
        assertTrue(failures.matches("(?s).*the text of first.*the text of second.*"), failures);
        assertFalse(failures.matches("(?s).*the text of first.*the text of first.*"), failures);
        assertFalse(failures.matches("(?s).*the text of second.*the text of second.*"), failures);
    }

    private static List<String> failuresSideBySide(Class<?>... samples) {
        return failures(EngineTestKit.engine("junit-jupiter")
            .configurationParameter("junit.jupiter.extensions.autodetection.enabled", "true")
            .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
            .configurationParameter("junit.jupiter.execution.parallel.mode.classes.default", "concurrent")
            .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
            .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "2")
            .selectors(Stream.of(samples).map(DiscoverySelectors::selectClass).toArray(DiscoverySelector[]::new))
            .execute());
    }

    @Test
    void shouldKnowTheErrorsOfEachClassWhenTheyRunSideBySide() {
        List<String> failures = failuresSideBySide(Met.class, MeetsAndLogs.class);
        assertEquals(1, failures.size(), failures.toString());
        assertTrue(failures.getFirst().contains("the text of MeetsAndLogs"), failures.toString());
    }

    @Test
    void shouldFailWhenAThreadOfNoClassLogsBesideThem() {
        List<String> failures = failuresSideBySide(Stray.class);
        assertEquals(1, failures.size(), failures.toString());
        assertTrue(failures.getFirst().contains("the text of Stray"), failures.toString());
    }

    @Test
    void shouldKeepWhatAThreadSaysThatOutlivesItsClass() throws InterruptedException {
        CountDownLatch over = new CountDownLatch(1);
        LoggedErrors.beginClassBesideOthers();
        Thread stays = new Thread(() -> {
            try {
                over.await();
                log(System.Logger.Level.ERROR, "the text of the one that stays");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // then the error does not come
            }
        });
        stays.start();
        assertEquals(List.of(), LoggedErrors.endClassBesideOthers());
        LoggedErrors.expect("the text of the one that stays");
        over.countDown();
        stays.join();
    }

    /** SLF4J without anything behind it would swallow them. */
    @Test
    void shouldHaveNettyLogWhereErrorsAreCollected() {
        assertEquals(JdkLoggerFactory.class, InternalLoggerFactory.getDefaultFactory().getClass());
    }

    private static void log(System.Logger.Level level, String text) {
        System.getLogger("org.tributary.server").log(level, text);
    }

    /** Run by the tests above, not by themselves. */
    static final class Samples {
        @Test
        void serverWarns() {
            log(System.Logger.Level.WARNING, "the text of serverWarns");
        }

        @Test
        void serverFails() {
            log(System.Logger.Level.ERROR, "the text of serverFails");
        }

        @Test
        void logsLittle() {
            log(System.Logger.Level.INFO, "the text of logsLittle");
        }

        @Test
        void nobodyCatches() throws InterruptedException {
            Thread thread = new Thread(() -> {
                throw new IllegalStateException("the text of nobodyCatches");
            });
            thread.start();
            thread.join();
        }

        @Test
        void tailOfPipeline() throws InterruptedException {
            try (EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory())) {
                LocalChannel channel = new LocalChannel();
                group.register(channel).sync();
                channel.pipeline().fireExceptionCaught(new IllegalStateException("the text of tailOfPipeline"));
                group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
            }
        }

        @Test
        void leaks() {
            Unpooled.directBuffer(16);
        }

        @Test
        void sanitizer() {
            LoggedErrors.scan("rank 3", "a\n==7==ERROR: AddressSanitizer: heap-use-after-free\nthe text of sanitizer");
        }

        @Test
        void childWithAnException() {
            LoggedErrors.scan("rank 3", "[3] Exception in thread \"main\" java.lang.IllegalStateException: "
                + "the text of childWithAnException\n");
        }

        @Test
        void childOfC() {
            LoggedErrors.scan("rank 3", "[3] *** stack smashing detected ***: terminated, the text of childOfC\n");
        }

        @Test
        void childOfJava() {
            LoggedErrors.scan("server", "Nov 22, 2026 7:00:00 AM org.tributary.server.ServerLog failed\n"
                + "SEVERE: the text of childOfJava\njava.lang.IllegalStateException\n\tat org.tributary.X\n");
        }

        @Test
        void childSaysHowTheJobEnds() {
            LoggedErrors.scan("launcher", "tributary: rank 1 (node 0, pid 12) was ended by signal 9\n[0] error: 0\n"
                + "[0] Exception in thread \"main\" org.tributary.client.error.JobAbortedException: rank 1 is dead\n");
        }

        @Test
        void childIsKilledWhileItSaysSo() {
            LoggedErrors.scan("rank 1", "tributary: rank 1 cannot make a job\nException in thread \"main\" ");
        }

        @Test
        @ExpectsErrors("the text of (expects|nobody)")
        void expects() {
            log(System.Logger.Level.ERROR, "the text of expects");
        }

        @Test
        void expectsLate() {
            LoggedErrors.expect("the text of expectsLate");
            Thread.ofVirtual().start(() -> log(System.Logger.Level.ERROR, "the text of expectsLate"));
        }

        @Test
        @ToleratesErrors("the text of tolerates")
        void tolerates() {
            log(System.Logger.Level.ERROR, "the text of tolerates");
        }

        @Test
        void toleratesNothing() {
            LoggedErrors.tolerate("the text of toleratesNothing");
        }

        @Test
        @ExpectsErrors({"the text of expectsInVain", "the text of nobody"})
        void expectsInVain() {
            LoggedErrors.impatient();
            log(System.Logger.Level.ERROR, "the text of expectsInVain");
        }
    }

    /** An error that is logged when the tests are over. */
    static final class Late {
        @Test
        void logsNothing() {
            // the error comes later
        }

        @AfterAll
        static void log() {
            FailOnLoggedErrorsTest.log(System.Logger.Level.ERROR, "the text of Late");
        }
    }

    /** Is there while another class logs. */
    static final class Met {
        private static final CyclicBarrier BOTH = new CyclicBarrier(2);

        static void meet() throws Exception {
            BOTH.await(200, TimeUnit.SECONDS);
        }

        @Test
        void meets() throws Exception {
            meet();
            meet();
        }
    }

    /** Logs while another class is there. */
    static final class MeetsAndLogs {
        @Test
        void logs() throws Exception {
            Met.meet();
            log(System.Logger.Level.ERROR, "the text of MeetsAndLogs");
            Met.meet();
        }
    }

    /** As a thread of the JDK, which knows nothing of tests. */
    static final class Stray {
        @Test
        void logs() throws InterruptedException {
            Thread stray = Thread.ofPlatform().inheritInheritableThreadLocals(false)
                .start(() -> log(System.Logger.Level.ERROR, "the text of Stray"));
            stray.join();
        }
    }

    /** A process that lives longer than the test that started it, and says something in both. */
    @TestMethodOrder(MethodOrderer.MethodName.class)
    static final class Surviving {
        private static Process process;

        @Test
        void first() throws IOException {
            process = LoggedErrors.watch("echo", new ProcessBuilder("sh", "-c",
                "echo SEVERE: the text of first >&2; echo said; read line; echo SEVERE: the text of second >&2")
                .start());
            process.inputReader().readLine();
        }

        @Test
        void second() throws IOException, InterruptedException {
            process.outputWriter().close();
            process.waitFor();
        }
    }

    /** Errors that one of the tests provokes. */
    @ExpectsErrors({"the text of one", "the text of two"})
    static final class Together {
        @Test
        void one() {
            log(System.Logger.Level.ERROR, "the text of one");
        }

        @ParameterizedTest
        @ValueSource(ints = {0, 1})
        void two(int which) {
            if (which == 1) {
                log(System.Logger.Level.ERROR, "the text of two");
            }
        }
    }

    /** An error that none of the tests provokes. */
    @ExpectsErrors("the text of nobody")
    static final class TogetherInVain {
        @Test
        void none() {
            // the error does not come
        }
    }
}

package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.tributary.client.Jobs.assertSame;
import static org.tributary.client.Jobs.empty;
import static org.tributary.client.Jobs.random;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.adapter.Registering;
import org.tributary.client.error.GasException;
import org.tributary.client.error.JobAbortedException;
import org.tributary.client.remote.Handle;
import org.tributary.client.remote.Traffic;
import org.tributary.client.window.FenceDesign;
import org.tributary.client.window.Window;
import org.tributary.client.window.WindowOptions;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.fabric.Fabric;
import org.tributary.fabric.FabricKind;
import org.tributary.server.CommunicationServer;
import org.tributary.testsupport.Stopping;
import org.tributary.testsupport.TestedProviders;
import org.tributary.wire.RankState;
import org.tributary.wire.ServerAddress;

/**
 * Reads and writes memory of a node whose server and rank are stopped. An adapter, as {@code -Pverbs} has it, moves the
 * data, nobody else; with tcp nothing comes until the target is killed.
 */
class StoppedTargetTest {
    private static final Topology TOPOLOGY = Topology.of(1, 1);
    private static final int LARGE = 300_000;
    private static final int HUGE = 16 << 20;
    private static final String CHANNEL = "fabric.channels=1";
    /** Longer than a rank lets its endpoint drain. */
    private static final long STALL_NS = TimeUnit.MILLISECONDS.toNanos(1500);
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(200);
    private static final WindowOptions COUNTED = WindowOptions.DEFAULT.withFence(FenceDesign.IMMEDIATE_NOTIFY);

    @TempDir
    Path directory;

    private static JobEnvironment.Builder environment(Path directory, int node) {
        return JobEnvironment.builder().jobId("stopped-target").topology(TOPOLOGY).node(node)
            .secret("0123456789abcdef".getBytes(StandardCharsets.UTF_8)).serversFile(directory.resolve("servers"));
    }

    private static Settings settings(Path directory, String... more) {
        Settings.Builder builder = Settings.builder().set("server.bind-address=" + TestedProviders.ADDRESS)
            .set("shm.directory=" + directory).set("network.fabric=" + TestedProviders.first())
            .set("job.on-failure=throw").set("attach.timeout=300s").set("connect.timeout=60s");
        for (String setting : more) {
            builder.set(setting);
        }
        return builder.build();
    }

    /** Node 1, which is stopped while it waits in a fence, before the last barrier. */
    static final class Target {
        private Target() {
        }

        public static void main(String[] arguments) throws InterruptedException {
            Path directory = Path.of(arguments[0]);
            Settings settings = settings(directory);
            try (CommunicationServer server = CommunicationServer.start(environment(directory, 1).build(), settings)) {
                System.out.println(ServerAddress.format(server.address()));
                try (Gas gas = Gas.attach(environment(directory, 1).rank(1).build(), settings)) {
                    GlobalMemory memory = gas.allocate(LARGE);
                    try (Window window = Window.allocate(gas, gas.world(), LARGE, 1, COUNTED)) {
                        window.fence();
                        window.fence();
                        gas.barrier();
                        window.fence();
                        assertSame(random(2, LARGE), window.local(), "the window");
                        gas.barrier();
                        assertSame(random(4, LARGE), memory.local(), "the memory");
                    }
                }
                System.out.println(server.awaitTermination().clean() ? "all well" : "no good end");
            }
        }
    }

    /** Node 1, which stays until rank 0 has left. */
    static final class LeftBehind {
        private LeftBehind() {
        }

        public static void main(String[] arguments) throws InterruptedException {
            Path directory = Path.of(arguments[0]);
            Settings settings = settings(directory, CHANNEL);
            try (CommunicationServer server = CommunicationServer.start(environment(directory, 1).build(), settings)) {
                System.out.println(ServerAddress.format(server.address()));
                try (Gas gas = Gas.attach(environment(directory, 1).rank(1).build(), settings)) {
                    gas.allocate(HUGE);
                    gas.barrier();
                    while (gas.access().stateOf(0) != RankState.DEPARTED) {
                        Thread.sleep(1);
                    }
                }
                System.out.println(server.awaitTermination().clean() ? "all well" : "no good end");
            }
        }
    }

    private Process startTarget(Class<?> main) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream().filter(option -> option.startsWith("--"))
            .forEach(command::add);
        command.addAll(List.of("-ea", "-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp",
            System.getProperty("java.class.path")));
        System.getProperties().stringPropertyNames().stream().filter(name -> name.startsWith("tributary.tests."))
            .forEach(name -> command.add("-D" + name + "=" + System.getProperty(name)));
        command.addAll(List.of(main.getName(), directory.toString()));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    /** What rank 0 does with the target, which may be stopped and killed. */
    private interface Attempt {
        void with(Gas gas, Process target) throws Exception;
    }

    /** Starts the target, and is node 0 and its rank. */
    private void attempt(Attempt attempt, String lastWords) throws Exception {
        attempt(Target.class, settings(directory), attempt, lastWords);
    }

    private void attempt(Class<?> main, Settings settings, Attempt attempt, String lastWords) throws Exception {
        Process target = startTarget(main);
        try (BufferedReader said = new BufferedReader(new InputStreamReader(target.getInputStream(),
                StandardCharsets.UTF_8));
            CommunicationServer server = CommunicationServer.start(environment(directory, 0).build(), settings)) {
            String address = said.readLine();
            assertNotNull(address, "the target has not started");
            Path complete = Files.write(directory.resolve("servers.new"),
                List.of(ServerAddress.format(server.address()), address));
            Files.move(complete, directory.resolve("servers"));
            try (Gas gas = Gas.attach(environment(directory, 0).rank(0).build(), settings)) {
                attempt.with(gas, target);
            }
            assertEquals(lastWords, said.readLine());
        } finally {
            target.destroyForcibly().waitFor();
        }
    }

    @Test
    void shouldReadAndWriteWhenTheTargetIsStopped() throws Exception {
        assumeTrue(TestedProviders.first(FabricKind.class).offloads(),
            () -> TestedProviders.first() + " does not move data without the target's process");
        attempt((gas, target) -> transfer(gas, directory, target), "all well");
    }

    /** The provider reads into memory of the caller itself, who frees it as soon as the get has failed. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldLeaveMemoryOfTheCallerAloneWhenTheTargetDies(boolean isRegistered) throws Exception {
        assumeTrue(Fabric.load().isPresent(), Fabric.load()::absence);
        assumeTrue(TestedProviders.first(FabricKind.class) == FabricKind.TCP, "other adapters need no stopped target");
        attempt((gas, target) -> {
            if (isRegistered) {
                Registering.always(gas.access().adapter());
            }
            GlobalMemory memory = gas.allocate(LARGE);
            Window window = Window.allocate(gas, gas.world(), LARGE, 1, COUNTED);
            window.fence();
            window.put(1, 0, random(1, LARGE));
            window.fence();
            memory.put(1, 0, random(1, LARGE));
            gas.barrier();
            memory.get(1, 0, empty(LARGE));
            Stopping.stop(target.pid());
            try (ExecutorService killer = Executors.newSingleThreadExecutor();
                 Arena arena = Arena.ofConfined()) {
                MemorySegment own = arena.allocate(LARGE);
                killer.submit(() -> {
                    LockSupport.parkNanos(200_000_000); // in most runs, the get has begun
                    target.toHandle().destroyForcibly(); // its output is still to be read
                    return null;
                });
                assertThrows(GasException.class, () -> memory.get(1, 0, own));
                byte[] left = own.toArray(ValueLayout.JAVA_BYTE);
                assertThrows(GasException.class, () -> memory.get(1, 0, empty(LARGE)));
                LockSupport.parkNanos(50_000_000);
                assertArrayEquals(left, own.toArray(ValueLayout.JAVA_BYTE));
            }
        }, null);
    }

    /** Its adapter reads into memory of a thread; requests, and the goodbye, go by the same endpoint. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldLeaveWhenTheServerIsStoppedForAWhileDuringATransferOfAnotherThread(boolean isRegistered)
        throws Exception {
        assumeTrue(Fabric.load().isPresent(), Fabric.load()::absence);
        assumeTrue(TestedProviders.first(FabricKind.class) == FabricKind.TCP, "other adapters need no stopped target");
        attempt(LeftBehind.class, settings(directory, CHANNEL), (gas, target) -> {
            if (isRegistered) {
                Registering.always(gas.access().adapter());
            }
            GlobalMemory memory = gas.allocate(HUGE);
            gas.barrier();
            while (gas.channelTraffic().byChannel() == 0) {
                memory.fetchAndAdd(1, 0, 1);
            }
            CountDownLatch reads = new CountDownLatch(2);
            FutureTask<JobAbortedException> reader = inThread(() -> assertThrows(JobAbortedException.class, () -> {
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment own = arena.allocate(HUGE);
                    while (true) {
                        memory.get(1, 0, own);
                        reads.countDown();
                    }
                }
            }));
            reads.await();
            Stopping.stop(target.pid());
            LockSupport.parkNanos(100_000_000); // the read that has begun cannot end
            FutureTask<Void> closer = inThread(() -> {
                gas.close();
                return null;
            });
            LockSupport.parkNanos(STALL_NS);
            Stopping.goOn(target.pid());
            closer.get();
            reader.get();
        }, "all well");
    }

    private static <T> FutureTask<T> inThread(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread.ofPlatform().daemon().start(task);
        return task;
    }

    private static void transfer(Gas gas, Path directory, Process target) throws IOException, InterruptedException {
        GlobalMemory memory = gas.allocate(LARGE);
        try (Window window = Window.allocate(gas, gas.world(), LARGE, 1, COUNTED)) {
            window.fence();
            window.put(1, 0, random(1, LARGE));
            window.fence();
            memory.put(1, 0, random(1, LARGE));
            gas.barrier();
            memory.get(1, 0, empty(LARGE)); // once the server has answered the messages of the barrier
            try {
                transferWhileStopped(gas, directory, memory, window, target);
            } catch (IOException | InterruptedException | RuntimeException | Error e) {
                target.destroyForcibly(); // nobody would wait for it for ever
                throw e;
            }
            window.fence();
            gas.barrier();
        }
    }

    private static void transferWhileStopped(Gas gas, Path directory, GlobalMemory memory, Window window,
        Process target) throws IOException, InterruptedException {
        Stopping.stop(target.pid());
        Traffic before = gas.traffic();
        MemorySegment back = empty(LARGE);
        memory.get(1, 0, back);
        assertSame(random(1, LARGE), back, "what it had");
        memory.put(1, 0, random(3, LARGE));
        gas.fence(1);
        memory.get(1, 0, back);
        assertSame(random(3, LARGE), back, "what was put");
        Handle handle = gas.handle();
        memory.nbPut(handle, 1, 0, random(4, LARGE), 0, LARGE);
        arriveWithoutCalls(directory, random(4, LARGE));
        handle.await();
        window.put(1, 0, random(2, LARGE));
        arriveWithoutCalls(directory, random(2, LARGE));
        assertEquals(new Traffic(0, 0), gas.traffic().since(before));
        assertTrue(Stopping.isStopped(target.pid()));
        Stopping.goOn(target.pid());
    }

    /** The rank that put them computes, or sleeps as here, while the adapter moves the data: this is overlap. */
    private static void arriveWithoutCalls(Path directory, MemorySegment expected) throws IOException {
        long beganNs = System.nanoTime();
        while (!isInFiles(directory, expected)) {
            assertTrue(System.nanoTime() - beganNs < DEADLINE_NS, "nothing arrives unless the rank makes calls");
            LockSupport.parkNanos(1_000_000);
        }
        System.out.println(LARGE + " bytes were there " + (System.nanoTime() - beganNs) / 1_000_000
            + " ms after the put, without a call of either rank or a server");
    }

    /** Whether a segment of a node holds these bytes. */
    private static boolean isInFiles(Path directory, MemorySegment expected) throws IOException {
        String wanted = text(expected.toArray(ValueLayout.JAVA_BYTE));
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (text(Files.readAllBytes(file)).contains(wanted)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }
}

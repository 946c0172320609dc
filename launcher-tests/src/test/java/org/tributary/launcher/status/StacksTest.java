package org.tributary.launcher.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.config.ProcessFiles;
import org.tributary.testsupport.Stopping;
import org.tributary.wire.status.ProcessState;

class StacksTest {
    private static final int SIGSTOP = 19;

    @TempDir
    private Path folder;

    private ProcessHandle child;

    @Test
    void shouldKeepThreadsOfTheProgramWhenTheJvmPrintsAll() {
        List<String> printed = """
            4711:
            "Reference Handler" #9 [22] daemon prio=10
            \tat java.lang.ref.Reference.waitForReferencePendingList(Native Method)
            "worker 1" #30 [31] prio=5
            \tat org.example.Worker.run(Worker.java:5)
            \t- locked <0x0000000612345678> (a java.lang.Object)
            "main" #1 [10] prio=5
               java.lang.Thread.State: RUNNABLE
            \tat org.example.Main.compute(Main.java:7)
            "tributary-lifeline" #31 [32] daemon
            \tat sun.nio.ch.Net.poll(Native Method)
            "VM Thread" os_prio=0
            """.lines().toList();
        assertEquals(List.of("\"main\"", "  at org.example.Main.compute(Main.java:7)", "\"worker 1\"",
            "  at org.example.Worker.run(Worker.java:5)"), Stacks.ofThreads(printed));
    }

    @Test
    void shouldSayWhatTheProgramSaysWhenThereAreNoFrames() {
        assertEquals(List.of("no stack: jcmd says '4711: no such process'"),
            Stacks.ofThreads(List.of("4711: no such process")));
        assertEquals(List.of("no stack: jcmd says nothing"), Stacks.ofThreads(List.of()));
    }

    @Test
    void shouldNotTouchTheProcessWhenItWasStoppedOrIsGone() {
        Stacks stacks = new Stacks(TimeUnit.SECONDS.toNanos(20));
        assertEquals(List.of("no stack: the process was stopped (SIGSTOP)"),
            stacks.of(1, ProcessState.STOPPED));
        assertEquals(List.of("no stack: process " + Integer.MAX_VALUE + " cannot be seen from here"),
            stacks.of(Integer.MAX_VALUE, ProcessState.LIVES));
        long another = ProcessHandle.current().pid();
        assertEquals(List.of("no stack: process " + another + " cannot be seen from here"),
            stacks.of(another, ProcessState.LIVES));
    }

    @Test
    void shouldSayThatItDoesNotAnswerWhenTheTimeIsOver() {
        List<String> lines = new Stacks(1_000_000).of(ProcessHandle.current().pid(), ProcessState.RUNS);
        assertTrue(lines.getFirst().startsWith("no stack: the process has not answered within 0.001 s ('jcmd "),
            lines::toString);
    }

    @Test
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldLeaveNoProgramWhenInterrupted() throws Exception {
        Process stopped = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-m", "jdk.httpserver", "--port", "0").redirectErrorStream(true).start();
        try {
            assertTrue(stopped.getInputStream().read() > 0);
            Stopping.stop(stopped.pid());
            Thread taker = Thread.ofPlatform().start(() ->
                new Stacks(TimeUnit.MINUTES.toNanos(10)).of(stopped.pid(), ProcessState.RUNS));
            awaitPrograms(1);
            taker.interrupt();
            taker.join();
            awaitPrograms(0);
        } finally {
            stopped.destroyForcibly();
        }
    }

    @Test
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldNotAttachWhenAThreadOfTheProcessTakesNoSignals() throws Exception {
        Process deaf = deaf();
        try {
            String said = new Stacks(TimeUnit.SECONDS.toNanos(2)).of(deaf.pid(), ProcessState.RUNS).getFirst();
            assertTrue(said.matches("no stack: a thread waits in the kernel.*, where it cannot be interrupted: .*"),
                said);
            assertEquals(0, pendingSignals(deaf.pid()));
        } finally {
            deaf.destroyForcibly();
        }
    }

    @Test
    @Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldLeaveNoStopBehindWhenADebuggerIsEndedWhileItAttaches() throws Exception {
        Process deaf = deaf();
        try {
            Process debugger = new ProcessBuilder("gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-p",
                Long.toString(deaf.pid())).redirectErrorStream(true).redirectOutput(Redirect.DISCARD).start();
            while (pendingSignals(deaf.pid()) == 0) {
                assumeTrue(debugger.isAlive(), "gdb may not attach here");
                LockSupport.parkNanos(5_000_000);
            }
            Stacks.end(debugger, deaf.pid());
            assertTrue(!debugger.isAlive());
            assertEquals(0, pendingSignals(deaf.pid()) & 1L << SIGSTOP - 1);
        } finally {
            deaf.destroyForcibly();
        }
    }

    /**
     * A process in state D: it waits for a child that shares its memory until it begins a program of its own, and that
     * first opens a queue which nobody writes to.
     */
    private Process deaf() throws Exception {
        assumeTrue(isInstalled("gdb") && isInstalled("python3"), "gdb or python3 is not installed");
        Path queue = folder.resolve("queue");
        assertEquals(0, new ProcessBuilder("mkfifo", queue.toString()).start().waitFor());
        Process process = new ProcessBuilder("python3", "-c", """
            import os, sys
            os.posix_spawn("/bin/true", ["true"], {},
                file_actions=[(os.POSIX_SPAWN_OPEN, 0, sys.argv[1], os.O_RDONLY, 0)])
            """, queue.toString()).redirectErrorStream(true).redirectOutput(Redirect.DISCARD).start();
        while (!ProcessFiles.of(process.pid()).stat(ProcessFiles.STATE).equals("D")
            || process.children().findAny().isEmpty()) {
            assertTrue(process.isAlive(), "python3 has ended");
            LockSupport.parkNanos(5_000_000);
        }
        child = process.children().findAny().orElseThrow();
        return process;
    }

    @AfterEach
    void endChild() {
        if (child != null) {
            child.destroyForcibly(); // it has survived its parent
        }
    }

    private static boolean isInstalled(String program) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .anyMatch(place -> Files.isExecutable(Path.of(place, program)));
    }

    /** Those of its main thread, a bit for each. */
    private static long pendingSignals(long pid) {
        return ProcessFiles.of(pid).text("status").lines().filter(line -> line.startsWith("SigPnd:"))
            .mapToLong(line -> Long.parseUnsignedLong(line.substring(line.indexOf(':') + 1).strip(), 16)).sum();
    }

    private static void awaitPrograms(long count) {
        while (ProcessHandle.current().children().filter(child -> ProcessFiles.of(child).runs()
            && ProcessFiles.of(child).commandLine().getFirst().endsWith("/jcmd")).count() != count) {
            LockSupport.parkNanos(5_000_000);
        }
    }
}

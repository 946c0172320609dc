package org.tributary.launcher.job;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.tributary.wire.libc.CFunction;

/**
 * Receiving SIGQUIT, which HotSpot keeps for itself: one of its Java threads prints the stacks of all threads, then
 * posts the event DataDumpRequest of JVMTI. This asks for that event, and has the stacks not printed. Where a JVM does
 * not do it so, it prints them as ever.
 *
 * <p>Places in tables of functions are those that {@code jni.h} and {@code jvmti.h} give.
 */
public final class QuitSignal {
    private static final long PAUSE_MS = 1_000;
    private static final int GET_ENV = 6;
    private static final int JVMTI_VERSION_1_2 = 0x3001_0200;
    private static final int SET_EVENT_NOTIFICATION_MODE = 1;
    private static final int SET_EVENT_CALLBACKS = 121;
    private static final int ENABLE = 1;
    private static final int FIRST_EVENT = 50;
    private static final int DATA_DUMP_REQUEST = 71;

    private final Runnable action;

    private QuitSignal(Runnable action) {
        this.action = action;
    }

    /**
     * Runs {@code action}, which must be short, at each SIGQUIT from soon on. Calling the JVM takes a twentieth of a
     * second of a processor's time the first time, which a job that starts needs more, and a short one saves.
     */
    public static void receive(Runnable action) {
        QuitSignal quit = new QuitSignal(action);
        start(jvm -> {
            if (quit.install(jvm)) {
                VmOutput.end(jvm);
            }
        });
    }

    /** A key press at a terminal reaches every process of the job: this one then prints no stacks. */
    public static void silence() {
        start(VmOutput::end);
    }

    @SuppressWarnings("restricted") // the launcher runs with native access enabled
    private static void start(JvmCall call) {
        Thread.ofPlatform().daemon().name("tributary-quit").start(() -> {
            try {
                TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
                call.on(SymbolLookup.libraryLookup(
                    Path.of(System.getProperty("java.home"), "lib", "server", "libjvm.so"), Arena.global()));
            } catch (Exception | LinkageError e) {
                // Another JVM: it prints its stacks, and SIGUSR1 is left for the report. No reason to end a server.
            } catch (Throwable t) {
                throw new IllegalStateException("JVMTI", t);
            }
        });
    }

    /** Whether events come from now on. */
    @SuppressWarnings("restricted")
    private boolean install(SymbolLookup jvm) throws Throwable {
        Linker linker = Linker.nativeLinker();
        MemorySegment callbacks = Arena.global().allocate(ADDRESS, DATA_DUMP_REQUEST - FIRST_EVENT + 1);
        callbacks.setAtIndex(ADDRESS, DATA_DUMP_REQUEST - FIRST_EVENT, linker.upcallStub(MethodHandles.lookup()
            .findVirtual(QuitSignal.class, "received", MethodType.methodType(void.class, long.class))
            .bindTo(this), FunctionDescriptor.ofVoid(JAVA_LONG), Arena.global()));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment found = arena.allocate(ADDRESS);
            CFunction created = new CFunction(jvm.findOrThrow("JNI_GetCreatedJavaVMs"));
            if (created.plainCall(found.address(), 1, arena.allocate(JAVA_INT).address()) != 0) {
                return false;
            }
            MemorySegment vm = found.get(ADDRESS, 0);
            if (function(vm, GET_ENV).plainCall(vm.address(), found.address(), JVMTI_VERSION_1_2) != 0) {
                return false;
            }
            MemorySegment env = found.get(ADDRESS, 0);
            return function(env, SET_EVENT_CALLBACKS)
                    .plainCall(env.address(), callbacks.address(), callbacks.byteSize()) == 0
                && function(env, SET_EVENT_NOTIFICATION_MODE)
                    .plainCall(env.address(), ENABLE, DATA_DUMP_REQUEST, 0) == 0;
        }
    }

    /** Of an interface of C: a pointer to a table of functions. */
    @SuppressWarnings("restricted")
    private static CFunction function(MemorySegment self, int place) {
        long size = ADDRESS.byteSize();
        return new CFunction(
            self.reinterpret(size).get(ADDRESS, 0).reinterpret(size * (place + 1)).getAtIndex(ADDRESS, place));
    }

    /** On HotSpot's thread for signals. What is thrown into C ends the process; to press the key again does not. */
    private void received(long env) {
        try {
            action.run();
        } catch (RuntimeException | OutOfMemoryError e) {
            System.err.println("tributary: SIGQUIT: " + e);
        }
    }

    /** Uses functions or variables of the JVM. */
    private interface JvmCall {
        void on(SymbolLookup jvm) throws Throwable;
    }
}

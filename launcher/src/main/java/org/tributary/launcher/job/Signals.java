package org.tributary.launcher.job;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.function.IntConsumer;
import org.tributary.wire.libc.CFunction;

/**
 * Receiving signals, and sending those that {@link Process} cannot. The only API for the former, {@code
 * sun.misc.Signal}, is exported by the JDK but cannot be compiled against without a warning, so it is reached by its
 * name.
 */
public final class Signals {
    private Signals() {
    }

    /**
     * Calls {@code action} with the number of each interrupt, termination, hang-up or SIGUSR1 from now on, and lives
     * on. A JVM keeps SIGQUIT for itself: {@link QuitSignal}.
     */
    public static void receive(IntConsumer action) {
        for (int signal : new int[] {ExitCodes.SIGINT, ExitCodes.SIGTERM, ExitCodes.SIGHUP, ExitCodes.SIGUSR1}) {
            InvocationHandler accept = (proxy, method, args) -> {
                action.accept(signal);
                return null;
            };
            try {
                Class<?> type = handlerType();
                handle(ExitCodes.signalName(signal).substring("SIG".length()),
                    Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, accept));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("cannot receive " + ExitCodes.signalName(signal), e);
            }
        }
    }

    /** Reading the terminal in the background fails from now on, instead of stopping all processes of the job. */
    static void ignoreTerminalInput() {
        ignore("TTIN");
    }

    /** A key press at a terminal interrupts every process of the job at once; those that must not care call this. */
    public static void ignoreInterrupt() {
        ignore("INT");
    }

    private static void ignore(String signal) {
        try {
            handle(signal, handlerType().getField("SIG_IGN").get(null));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot ignore SIG" + signal, e);
        }
    }

    /** kill(2); a process that has gone in the meantime is no error. */
    static void send(long pid, int signal) {
        CFunction.of("kill").call(pid, signal);
    }

    /** {@code name} is without its {@code SIG}. */
    private static void handle(String name, Object handler) throws ReflectiveOperationException {
        Class<?> type = Class.forName("sun.misc.Signal");
        type.getMethod("handle", type, handlerType())
            .invoke(null, type.getConstructor(String.class).newInstance(name), handler);
    }

    private static Class<?> handlerType() throws ClassNotFoundException {
        return Class.forName("sun.misc.SignalHandler");
    }
}

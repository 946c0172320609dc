package org.tributary.fabric;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import jnr.ffi.LibraryLoader;
import jnr.ffi.annotations.IgnoreError;

/**
 * Signal handlers of the process, kept while libfabric is loaded. Libraries that it brings along (psm2, infinipath)
 * handle SIGSEGV from then on, and a JVM finds null references by SIGSEGV. The shim does the same around calls in which
 * providers do so. In between, a few milliseconds, a null reference in another thread would end the process: so load
 * libfabric before there are threads that compute.
 */
final class KeptSignals {
    /** More than a {@code struct sigaction} has. */
    private static final int ACTION_BYTES = 256;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment actions = arena.allocate((long) Shim.SIGNALS * ACTION_BYTES, Long.BYTES);
    private final C library = LibraryLoader.create(C.class).failImmediately().load("c");

    /** Public because jnr-ffi implements it. */
    @IgnoreError
    public interface C {
        int sigaction(int signal, long action, long old);
    }

    KeptSignals() {
        for (int i = 1; i < Shim.SIGNALS; i++) {
            library.sigaction(i, 0, actions.address() + (long) i * ACTION_BYTES);
        }
    }

    /** Puts everything back. */
    void restore() {
        for (int i = 1; i < Shim.SIGNALS; i++) {
            library.sigaction(i, actions.address() + (long) i * ACTION_BYTES, 0); // not for SIGKILL and SIGSTOP
        }
        arena.close();
    }
}

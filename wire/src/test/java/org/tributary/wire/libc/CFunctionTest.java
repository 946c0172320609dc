package org.tributary.wire.libc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Calls of C functions that take from none to six arguments, and fail in the ways of Linux. */
final class CFunctionTest {
    private static final int ENOENT = 2;
    private static final int EBADF = 9;
    private static final int EINVAL = 22;
    private static final long CALLS = 20_000;

    @Test
    void shouldReturnTheResultWhenAFunctionHasNoArguments() {
        assertEquals(ProcessHandle.current().pid(), CFunction.of("getpid").call());
    }

    @Test
    void shouldKeepAll64BitsWhenArgumentAndResultAreLong() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CFunction.errnoBytes(), Integer.BYTES);
            assertEquals(0x1234_5678_9abc_def0L,
                CFunction.of("labs").call(state, -0x1234_5678_9abc_def0L, 0, 0, 0, 0, 0));
        }
    }

    @Test
    void shouldReturnTheNegatedErrnoWhenAFunctionFails() {
        assertEquals(-EBADF, CFunction.of("close").call(-1));
        try (Arena arena = Arena.ofConfined()) { // open(2) takes a variable number of arguments
            assertEquals(-ENOENT, CFunction.of("open").call(arena.allocateFrom("/none/such").address(), 0));
        }
    }

    @Test
    void shouldReturnWhatAFunctionReturnsWhenItsErrorsAreNotByErrno() {
        assertEquals(EBADF, CFunction.of("posix_fallocate").plainCall(-1, 0, 1));
        assertEquals(-7, CFunction.of("atoi").plainCall(text("-7")));
    }

    @Test
    void shouldPassAllSixWhenAFunctionHasSixArguments() {
        byte[] content = new byte[64];
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment into = arena.allocate(content.length);
            int length = CFunction.of("snprintf").call(into.address(), content.length, text("%d %s %ld"), -1, text("b"),
                1L << 40);
            assertEquals("-1 b 1099511627776", into.getString(0));
            assertEquals(into.getString(0).length(), length);
        }
    }

    /** Text that is there as long as the process. */
    private static long text(String text) {
        return Arena.global().allocateFrom(text).address();
    }

    @Test
    void shouldRefuseWhenThereIsNoSuchFunction() {
        assertThrows(NoSuchElementException.class, () -> CFunction.of("no_such_function_of_c"));
    }

    @Test
    void shouldRefuseWhenCCannotUseTheArguments() {
        CFunction getpid = CFunction.of("getpid");
        assertThrows(IllegalArgumentException.class, () -> getpid.call(1, 2, 3, 4, 5, 6, 7));
        assertThrows(IllegalArgumentException.class, () -> CFunction.address(MemorySegment.ofArray(new byte[8])));
        Arena arena = Arena.ofConfined();
        MemorySegment memory = arena.allocate(8);
        assertEquals(memory.address(), CFunction.address(memory));
        arena.close();
        assertThrows(IllegalStateException.class, () -> CFunction.address(memory));
    }

    @Test
    void shouldKeepErrnosApartWhenThreadsFailAtOnce() throws Exception {
        CFunction close = CFunction.of("close");
        CFunction lseek = CFunction.of("lseek");
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            List<Future<Boolean>> all = new ArrayList<>();
            all.add(threads.submit(() -> always(-EBADF, () -> close.call(-1))));
            all.add(threads.submit(() -> always(-EINVAL, () -> lseek.call(1, 0, 99)))); // no such origin
            for (Future<Boolean> one : all) {
                assertTrue(one.get(60, TimeUnit.SECONDS));
            }
        }
    }

    private interface Call {
        int result();
    }

    private static boolean always(int expected, Call call) {
        for (long i = 0; i < CALLS; i++) {
            if (call.result() != expected) {
                return false;
            }
        }
        return true;
    }
}

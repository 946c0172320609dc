package org.tributary.client.bootstrap;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.util.NoSuchElementException;
import org.tributary.wire.libc.CFunction;

/**
 * The functions of libpmix (PMIx standard, 2.0 and later), which are called by one thread at a time.
 *
 * <pre>
 *   pmix_proc_t   nspace char[256], rank uint32                                260 bytes
 *   pmix_value_t  type uint16, at 8 the data, such as a pointer or a uint32     32 bytes
 *   pmix_info_t   key char[512], flags uint32, at 520 a value                  552 bytes
 * </pre>
 */
@SuppressWarnings("restricted") // binding C functions is what this class is for; started with native access enabled
final class PmixLibrary {
    static final String NAME = "libpmix.so.2";
    private static final long PROC_BYTES = 260;
    private static final long PROC_RANK = 256;
    private static final long VALUE_BYTES = 32;
    private static final long VALUE_DATA = 8;
    private static final long INFO_BYTES = 552;
    private static final long INFO_VALUE = 520;
    private static final short BOOL = 1;
    private static final short STRING = 3;
    private static final short UINT32 = 14;
    private static final byte GLOBAL = 3;
    private static final int EVERY_RANK = 0xfffffffe;
    private static final long MOST_OF_A_VALUE = 1 << 20;

    private final CFunction init;
    private final CFunction finish;
    private final CFunction put;
    private final CFunction commit;
    private final CFunction fence;
    private final CFunction get;
    private final CFunction abort;
    private final CFunction free = CFunction.of("free");
    private final MemorySegment self = Arena.global().allocate(PROC_BYTES, Long.BYTES);

    private PmixLibrary(SymbolLookup library) {
        init = find(library, "PMIx_Init");
        finish = find(library, "PMIx_Finalize");
        put = find(library, "PMIx_Put");
        commit = find(library, "PMIx_Commit");
        fence = find(library, "PMIx_Fence");
        get = find(library, "PMIx_Get");
        abort = find(library, "PMIx_Abort");
    }

    private static CFunction find(SymbolLookup library, String name) {
        return new CFunction(library.findOrThrow(name));
    }

    /** The library, or null where it is not installed, or lacks a function. */
    static PmixLibrary load() {
        try {
            return new PmixLibrary(SymbolLookup.libraryLookup(NAME, Arena.global()));
        } catch (IllegalArgumentException | NoSuchElementException e) {
            return null;
        }
    }

    /** Connects to the process manager; this process's rank. */
    int init() throws IOException {
        check("PMIx_Init", init.plainCall(self.address(), 0, 0));
        return self.get(ValueLayout.JAVA_INT, PROC_RANK);
    }

    int jobSize() throws IOException {
        return (int) get(EVERY_RANK, "pmix.job.size");
    }

    void put(String key, String value) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(VALUE_BYTES, Long.BYTES);
            text.set(ValueLayout.JAVA_SHORT, 0, STRING);
            text.set(ValueLayout.ADDRESS, VALUE_DATA, arena.allocateFrom(value));
            check("PMIx_Put", put.plainCall(GLOBAL, arena.allocateFrom(key).address(), text.address()));
        }
    }

    /** Waits for all ranks, and lets each see what others have put. */
    void fence() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment collect = arena.allocate(INFO_BYTES, Long.BYTES);
            collect.setString(0, "pmix.collect");
            collect.set(ValueLayout.JAVA_SHORT, INFO_VALUE, BOOL);
            collect.set(ValueLayout.JAVA_BYTE, INFO_VALUE + VALUE_DATA, (byte) 1);
            check("PMIx_Commit", commit.plainCall());
            check("PMIx_Fence", fence.plainCall(0, 0, collect.address(), 1));
        }
    }

    String getText(int rank, String key) throws IOException {
        return (String) get(rank, key);
    }

    /** A String or an Integer; anything else is refused. */
    private Object get(int rank, String key) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment of = arena.allocate(PROC_BYTES, Long.BYTES).copyFrom(self);
            of.set(ValueLayout.JAVA_INT, PROC_RANK, rank);
            MemorySegment found = arena.allocate(ValueLayout.ADDRESS);
            check("PMIx_Get of " + key,
                get.plainCall(of.address(), arena.allocateFrom(key).address(), 0, 0, found.address()));
            MemorySegment value = found.get(ValueLayout.ADDRESS, 0).reinterpret(VALUE_BYTES);
            short type = value.get(ValueLayout.JAVA_SHORT, 0);
            boolean known = rank == EVERY_RANK ? type == UINT32 : type == STRING;
            if (!known) {
                throw new IOException("PMIx gives a value of type " + type + " for " + key);
            }
            if (type == UINT32) {
                int number = value.get(ValueLayout.JAVA_INT, VALUE_DATA);
                free.plainCall(value.address());
                return number;
            }
            MemorySegment characters = value.get(ValueLayout.ADDRESS, VALUE_DATA);
            String text = characters.reinterpret(MOST_OF_A_VALUE).getString(0);
            free.plainCall(characters.address());
            free.plainCall(value.address());
            return text;
        }
    }

    void abort(int exitCode, String message) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            check("PMIx_Abort", abort.plainCall(exitCode, arena.allocateFrom(message).address(), 0, 0));
        }
    }

    void finish() throws IOException {
        check("PMIx_Finalize", finish.plainCall(0, 0));
    }

    private static void check(String call, int status) throws IOException {
        if (status != 0) {
            throw new IOException(call + " fails with status " + status);
        }
    }
}

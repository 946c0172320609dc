package org.tributary.nativeclient.stress;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.MutexSet;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.config.Topology;
import org.tributary.server.CommunicationServer;
import org.tributary.wire.shm.ControlFile;
import org.tributary.wire.shm.Doorbell;

/**
 * A job of one node in this process: rank 0 in Java, rank 1 in C by the shared library. Each maps the files for itself.
 * Words are those of rank 0; each state of a stress test takes a block of its own and uses it again much later.
 */
@SuppressWarnings("restricted") // calling C is what this class is for
final class TwoRanks {
    /** Bytes of a block, on cache lines of its own. */
    static final int BLOCK_BYTES = 128;
    /** More than the states that jcstress keeps alive at once. */
    private static final int BLOCKS = 1 << 16;
    private static final int MUTEXES = 1 << 14;

    /** A class of its own: threads that the constructor starts use the outer one. */
    private static final class Holder {
        private static final TwoRanks ONLY = new TwoRanks(Path.of(System.getProperty("stress.library")),
            Path.of(System.getProperty("stress.directory")));
    }

    private final AtomicInteger next = new AtomicInteger();
    private final Arena arena = Arena.global();
    private final Linker linker = Linker.nativeLinker();
    private final SymbolLookup library;
    private final GlobalMemory memory;
    private final MutexSet mutexes;
    private final Doorbell doorbell;
    private final MemorySegment memoryInC;
    private final MemorySegment mutexesInC;
    private final MethodHandle fetchAdd;
    private final MethodHandle compareSwap;
    private final MethodHandle accumulate;
    private final MethodHandle lock;
    private final MethodHandle unlock;
    private final MethodHandle putFlag;
    private final ThreadLocal<MemorySegment> scratch = ThreadLocal.withInitial(() -> arena.allocate(64, 64));

    private TwoRanks(Path libraryFile, Path directory) {
        library = SymbolLookup.libraryLookup(libraryFile, arena);
        Settings settings = Settings.builder().set("server.bind-address=127.0.0.1").set("job.on-failure=throw")
            .set("shm.directory=" + directory).build();
        String jobId = "stress-" + ProcessHandle.current().pid();
        byte[] secret = "the secret of a stress test".getBytes(StandardCharsets.UTF_8);
        JobEnvironment.Builder job = JobEnvironment.builder().jobId(jobId).secret(secret).topology(Topology.of(2))
            .node(0);
        CommunicationServer server = CommunicationServer.start(job.build(), settings);
        job.servers(List.of("127.0.0.1:" + server.address().getPort()));
        CompletableFuture<MemorySegment> attached = CompletableFuture.supplyAsync(
            () -> attachInC(jobId, secret, server.address().getPort(), directory));
        Gas gas = Gas.attach(job.rank(0).build(), settings);
        MemorySegment jobInC = attached.join();
        CompletableFuture<MemorySegment[]> made = CompletableFuture.supplyAsync(() -> makeInC(jobInC));
        memory = gas.allocate((long) BLOCKS * BLOCK_BYTES);
        mutexes = gas.createMutexes(MUTEXES);
        memoryInC = made.join()[0];
        mutexesInC = made.join()[1];
        try {
            doorbell = ControlFile.open(server.directory().resolve("control"), arena).doorbell(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        fetchAdd = function("trib_fetch_add_i64", ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_LONG, ValueLayout.ADDRESS);
        compareSwap = function("trib_compare_swap_i64", ValueLayout.ADDRESS, ValueLayout.JAVA_INT,
            ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS);
        accumulate = function("trib_accumulate", ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG);
        lock = function("trib_lock", ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
        unlock = function("trib_unlock", ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
        putFlag = function("trib_put_flag", ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG,
            ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);
    }

    static TwoRanks get() {
        return Holder.ONLY;
    }

    private MethodHandle function(String name, ValueLayout... parameters) {
        return linker.downcallHandle(library.findOrThrow(name),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, parameters));
    }

    private MethodHandle pointer(String name, ValueLayout... parameters) {
        return linker.downcallHandle(library.findOrThrow(name), FunctionDescriptor.of(ValueLayout.ADDRESS, parameters));
    }

    private MemorySegment attachInC(String jobId, byte[] secret, int port, Path directory) {
        MemorySegment settings = arena.allocate(ValueLayout.ADDRESS, 3);
        settings.setAtIndex(ValueLayout.ADDRESS, 0, arena.allocateFrom("shm.directory=" + directory));
        settings.setAtIndex(ValueLayout.ADDRESS, 1, arena.allocateFrom("job.on-failure=throw"));
        MemorySegment description = arena.allocate(96, 8); // struct trib_job
        description.set(ValueLayout.ADDRESS, 0, arena.allocateFrom(jobId));
        description.set(ValueLayout.ADDRESS, 8, arena.allocateFrom(ValueLayout.JAVA_BYTE, secret));
        description.set(ValueLayout.JAVA_LONG, 16, secret.length);
        description.set(ValueLayout.ADDRESS, 24, arena.allocateFrom("2"));
        description.set(ValueLayout.JAVA_INT, 32, 1);
        description.set(ValueLayout.ADDRESS, 40, arena.allocateFrom("127.0.0.1:" + port));
        description.set(ValueLayout.ADDRESS, 64, settings);
        MemorySegment job = arena.allocate(ValueLayout.ADDRESS);
        check(call(function("trib_attach_as", ValueLayout.ADDRESS, ValueLayout.ADDRESS), description, job));
        return job.get(ValueLayout.ADDRESS, 0);
    }

    private MemorySegment[] makeInC(MemorySegment job) {
        MemorySegment made = arena.allocate(ValueLayout.ADDRESS, 2);
        MemorySegment world = (MemorySegment) invoke(pointer("trib_world", ValueLayout.ADDRESS), job);
        check(call(function("trib_allocate", ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS), world,
            0L, made));
        check(call(function("trib_mutexes_create", ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.ADDRESS),
            world, 0, made.asSlice(8)));
        return new MemorySegment[] {made.get(ValueLayout.ADDRESS, 0), made.get(ValueLayout.ADDRESS, 8)};
    }

    private static Object invoke(MethodHandle function, Object... arguments) {
        try {
            return function.invokeWithArguments(arguments);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static int call(MethodHandle function, Object... arguments) {
        return (int) invoke(function, arguments);
    }

    private static void check(int status) {
        if (status != 0) {
            throw new IllegalStateException("a call in C failed with status " + status);
        }
    }

    /** Words of zeros for a new state; where they begin. */
    long block() {
        long at = (next.getAndIncrement() & BLOCKS - 1) * (long) BLOCK_BYTES;
        memory.local().asSlice(at, BLOCK_BYTES).fill((byte) 0);
        return at;
    }

    /** The free mutex of a block. */
    int mutex(long block) {
        return (int) (block / BLOCK_BYTES) & MUTEXES - 1;
    }

    /** The memory as rank 0 has it. */
    GlobalMemory memory() {
        return memory;
    }

    /** The mutexes as rank 0 has them. */
    MutexSet mutexes() {
        return mutexes;
    }

    /** Where rank 0 sleeps. */
    Doorbell doorbell() {
        return doorbell;
    }

    /** Rank 1 adds to a word; what was there. */
    long fetchAndAdd(long at, long operand) {
        MemorySegment old = scratch.get();
        try {
            check((int) fetchAdd.invokeExact(memoryInC, 0, at, operand, old));
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
        return old.get(ValueLayout.JAVA_LONG, 0);
    }

    /** Rank 1 compares and swaps a word; what was there. */
    long compareAndSwap(long at, long expected, long value) {
        MemorySegment old = scratch.get();
        try {
            check((int) compareSwap.invokeExact(memoryInC, 0, at, expected, value, old));
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
        return old.get(ValueLayout.JAVA_LONG, 0);
    }

    /** Rank 1 accumulates a 64-bit integer. */
    void accumulate(long at, long operand) {
        MemorySegment source = scratch.get();
        source.set(ValueLayout.JAVA_LONG, 0, operand);
        try {
            check((int) accumulate.invokeExact(memoryInC, 0, at, 1, MemorySegment.NULL, source, 8L));
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** Rank 1 locks a mutex, and waits for it. */
    void lock(int mutex) {
        try {
            check((int) lock.invokeExact(mutexesInC, 0, mutex));
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** Rank 1 unlocks it. */
    void unlock(int mutex) {
        try {
            check((int) unlock.invokeExact(mutexesInC, 0, mutex));
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** Rank 1 puts a word, then sets a flag and rings. */
    void putFlag(long at, long value, long flagAt) {
        MemorySegment source = scratch.get();
        source.set(ValueLayout.JAVA_LONG, 0, value);
        try {
            check((int) putFlag.invokeExact(memoryInC, 0, at, source, 8L, flagAt, 1L));
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}

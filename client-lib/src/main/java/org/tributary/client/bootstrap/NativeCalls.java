package org.tributary.client.bootstrap;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** System calls that Java lacks: for inherited descriptors, and files in memory. Stateless and thread-safe. */
@SuppressWarnings("restricted") // binding C functions is what this class is for; started with native access enabled
final class NativeCalls {
    private static final int EINTR = 4;
    private static final int MFD_CLOEXEC = 1;
    private static final short POLLIN = 1;
    /** {@code struct pollfd}: descriptor (int32), events, returned events (int16). */
    private static final long POLLFD_BYTES = 8;
    private static final long POLLFD_EVENTS = 4;
    private static final Linker LINKER = Linker.nativeLinker();
    private static final MemoryLayout ERRNO_LAYOUT = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = ERRNO_LAYOUT.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final FunctionDescriptor TRANSFER = FunctionDescriptor.of(ValueLayout.JAVA_LONG,
        ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG);
    private static final MethodHandle READ = bind("read", TRANSFER);
    private static final MethodHandle WRITE = bind("write", TRANSFER);
    private static final MethodHandle POLL = bind("poll", FunctionDescriptor.of(ValueLayout.JAVA_INT,
        ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT));
    private static final MethodHandle MEMFD_CREATE = bind("memfd_create", FunctionDescriptor.of(ValueLayout.JAVA_INT,
        ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
    private static final MethodHandle CLOSE = bind("close", FunctionDescriptor.of(ValueLayout.JAVA_INT,
        ValueLayout.JAVA_INT));

    private NativeCalls() {
    }

    private static MethodHandle bind(String name, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor,
            Linker.Option.captureCallState("errno"));
    }

    /** A new file in memory; its descriptor. */
    static int memoryFile(String name) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(ERRNO_LAYOUT);
            return (int) checked("memfd_create",
                (int) MEMFD_CREATE.invokeExact(state, arena.allocateFrom(name), MFD_CLOEXEC), state);
        } catch (IOException e) {
            throw e;
        } catch (Throwable t) {
            throw new IllegalStateException("memfd_create", t);
        }
    }

    static void close(int descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            int unused = (int) CLOSE.invokeExact(arena.allocate(ERRNO_LAYOUT), descriptor);
        } catch (Throwable t) {
            throw new IllegalStateException("close", t);
        }
    }

    /** Whether there is something to read within the time, the end included. */
    static boolean await(int descriptor, int timeoutMs) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(ERRNO_LAYOUT);
            MemorySegment poll = arena.allocate(POLLFD_BYTES, Integer.BYTES);
            poll.set(ValueLayout.JAVA_INT, 0, descriptor);
            poll.set(ValueLayout.JAVA_SHORT, POLLFD_EVENTS, POLLIN);
            int ready = (int) POLL.invokeExact(state, poll, 1L, timeoutMs);
            return ready < 0 && (int) ERRNO.get(state, 0L) == EINTR ? false : checked("poll", ready, state) > 0;
        } catch (IOException e) {
            throw e;
        } catch (Throwable t) {
            throw new IllegalStateException("poll", t);
        }
    }

    /** Reads what is there; 0 at the end. */
    static int read(int descriptor, byte[] into) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(ERRNO_LAYOUT);
            MemorySegment buffer = arena.allocate(into.length);
            int got = (int) checked("read", (long) READ.invokeExact(state, descriptor, buffer, (long) into.length),
                state);
            MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, 0, into, 0, got);
            return got;
        } catch (IOException e) {
            throw e;
        } catch (Throwable t) {
            throw new IllegalStateException("read", t);
        }
    }

    static void write(int descriptor, byte[] bytes) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(ERRNO_LAYOUT);
            MemorySegment buffer = arena.allocate(bytes.length);
            MemorySegment.copy(bytes, 0, buffer, ValueLayout.JAVA_BYTE, 0, bytes.length);
            for (long done = 0; done < bytes.length;) {
                done += checked("write", (long) WRITE.invokeExact(state, descriptor, buffer.asSlice(done),
                    bytes.length - done), state);
            }
        } catch (IOException e) {
            throw e;
        } catch (Throwable t) {
            throw new IllegalStateException("write", t);
        }
    }

    private static long checked(String call, long result, MemorySegment state) throws IOException {
        if (result < 0) {
            throw new IOException(call + ": errno " + (int) ERRNO.get(state, 0L));
        }
        return result;
    }
}

package org.tributary.wire.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.tributary.wire.libc.CFunction;

/**
 * A file of a node, open for a process that looks at it from outside: it maps nothing, so a file that is truncated
 * harms nobody. A look at a job reads many small pieces, and locks of the kernel, which Java can only see with a
 * descriptor of its own: all through one descriptor, and without the many objects of a channel. Owned by one thread.
 */
public final class OpenFile implements AutoCloseable {
    private final Path path;
    private final Arena arena;
    private final MemorySegment errno;
    private final MemorySegment flock;
    private final int descriptor;
    private MemorySegment buffer = MemorySegment.NULL;

    private OpenFile(Path path, Arena arena) throws IOException {
        this.path = path;
        this.arena = arena;
        this.errno = arena.allocate(CFunction.errnoBytes(), Integer.BYTES);
        this.flock = arena.allocate(SystemCalls.FLOCK_BYTES, Long.BYTES);
        this.descriptor = SystemCalls.openToRead(arena.allocateFrom(path.toString()), errno);
        if (descriptor < 0) {
            throw failure(-descriptor);
        }
    }

    /**
     * Opens a file to read it.
     *
     * @throws NoSuchFileException when it is not there
     * @throws IOException         when it cannot be opened
     */
    public static OpenFile of(Path path) throws IOException {
        Arena arena = Arena.ofConfined();
        try {
            return new OpenFile(path, arena);
        } catch (IOException | RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    /** Bytes of the file now. */
    public long size() throws IOException {
        return checked(SystemCalls.size(descriptor, errno));
    }

    /** So many bytes from there on, fewer at the end of the file, in the order of this machine. */
    public ByteBuffer read(long at, int length) throws IOException {
        if (buffer.byteSize() < length) {
            buffer = arena.allocate(length, Long.BYTES);
        }
        int read = (int) checked(SystemCalls.read(descriptor, buffer, length, at, errno));
        ByteBuffer bytes = ByteBuffer.allocate(read).order(ByteOrder.nativeOrder());
        return bytes.put(0, buffer.asByteBuffer(), 0, read);
    }

    /** Whether a process has locked that byte, which may be behind the end. */
    boolean isLocked(long at) {
        return SystemCalls.isByteLocked(descriptor, at, flock, errno);
    }

    private long checked(long result) throws IOException {
        if (result < 0) {
            throw failure((int) -result);
        }
        return result;
    }

    private IOException failure(int error) {
        return switch (error) {
            case SystemCalls.ENOENT, SystemCalls.ENOTDIR -> new NoSuchFileException(path.toString());
            case SystemCalls.EMFILE, SystemCalls.ENFILE ->
                new FileSystemException(path.toString(), null, "Too many open files");
            default -> new FileSystemException(path.toString(), null, "errno " + error);
        };
    }

    @Override
    public void close() {
        SystemCalls.close(descriptor, errno);
        arena.close();
    }
}

package org.tributary.wire.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.function.BooleanSupplier;
import org.tributary.wire.UninterruptedFile;

/** Creating, reserving and mapping files of shared memory. Stateless and thread-safe. */
public final class SharedFile {
    private SharedFile() {
    }

    /** No room for a file: how much it needs, how much the mount has, and which mount. */
    public static final class NoSpaceException extends IOException {
        private static final long serialVersionUID = 1L;
        private final long needInBytes;
        private final long freeInBytes;
        private final String mount;

        NoSpaceException(Path file, long needInBytes, long freeInBytes, String mount) {
            super("no room for " + file + ": needs " + needInBytes + " bytes, " + mount + " has " + freeInBytes
                + " free; free some or enlarge the mount");
            this.needInBytes = needInBytes;
            this.freeInBytes = freeInBytes;
            this.mount = mount;
        }

        public long needInBytes() {
            return needInBytes;
        }

        /** Bytes the mount had left. */
        public long freeInBytes() {
            return freeInBytes;
        }

        /** The mount, as {@code /dev/shm (tmpfs)}. */
        public String mount() {
            return mount;
        }
    }

    /**
     * Creates a file of zeros, mode 0600, whose memory is reserved: touching it later cannot fail.
     *
     * @throws NoSpaceException when the mount has not {@code length} bytes; nothing is left behind
     */
    public static void create(Path file, long length) throws IOException {
        create(file, length, () -> false);
    }

    /**
     * As {@link #create(Path, long)}, which takes the kernel about a second for each few gigabytes.
     *
     * @param isCancelled asked now and then, from this thread
     * @throws IOException when it is cancelled, too; nothing is left behind
     */
    public static void create(Path file, long length, BooleanSupplier isCancelled) throws IOException {
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            if (length > 0) {
                reserve(file, length, isCancelled);
            }
        } catch (IOException | RuntimeException | Error e) {
            Files.deleteIfExists(file);
            throw e;
        }
    }

    private static void reserve(Path file, long length, BooleanSupplier isCancelled) throws IOException {
        // Asking first avoids filling the mount, which would hurt others, only to find that the end does not fit.
        long free = free(file);
        if (length > free) {
            throw noSpace(file, length, free);
        }
        int error = SystemCalls.reserve(file, length, isCancelled);
        if (error == SystemCalls.ECANCELED) {
            throw new IOException("nobody wants " + file + " any more");
        }
        if (error != 0) {
            long left = free(file);
            if (error == SystemCalls.ENOSPC) {
                throw noSpace(file, length, left);
            }
            throw new IOException("reserving " + length + " bytes for " + file + " failed with errno " + error);
        }
    }

    /** What the mount has left; its {@link Files#getFileStore} would read the list of all mounts first. */
    private static long free(Path file) {
        return file.toFile().getUsableSpace();
    }

    private static NoSpaceException noSpace(Path file, long length, long free) throws IOException {
        return new NoSpaceException(file, length, free,
            file.getParent() + " (" + Files.getFileStore(file).type() + ")");
    }

    /**
     * Maps a whole existing file for reading and writing; unmapped when the arena closes. An interrupt does not
     * keep it from being mapped.
     */
    public static MemorySegment map(Path file, Arena arena) throws IOException {
        try (UninterruptedFile whole = UninterruptedFile.open(file, StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
            return whole.run(channel -> {
                long size = channel.size();
                return size == 0 ? MemorySegment.NULL : channel.map(FileChannel.MapMode.READ_WRITE, 0, size, arena);
            });
        }
    }

    /**
     * Gives back what {@link #map} has mapped, but keeps its addresses until the arena closes: no other memory comes
     * there, and who writes there gets an error. No thread of Java may access it any more.
     *
     * @return whether that is so; if not, nothing has changed
     */
    public static boolean forbid(MemorySegment mapping) {
        return mapping.byteSize() > 0 && SystemCalls.forbid(mapping);
    }
}

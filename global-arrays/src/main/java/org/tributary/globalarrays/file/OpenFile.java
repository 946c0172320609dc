package org.tributary.globalarrays.file;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.util.Optional;
import org.tributary.config.Shortage;
import org.tributary.wire.UninterruptedFile;

/**
 * A file that is read or written at places; its failures have the file, the offset and the length. An interrupt ends
 * nothing, because other ranks wait for the end of it. One thread.
 */
final class OpenFile implements AutoCloseable {
    private final Path path;
    private final UninterruptedFile file;
    private boolean isWritten;

    private OpenFile(Path path, UninterruptedFile file) {
        this.path = path;
        this.file = file;
    }

    static OpenFile open(Path path, OpenOption... options) {
        try {
            return new OpenFile(path, UninterruptedFile.open(path, options));
        } catch (IOException e) {
            throw new ArrayFileException(path + ": cannot be opened: " + reason(e), e);
        }
    }

    /** What is there, or nothing when it is sure that there is nothing. */
    static Optional<BasicFileAttributes> look(Path path, LinkOption... options) {
        try {
            return Optional.of(Files.readAttributes(path, BasicFileAttributes.class, options));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new ArrayFileException(path + ": cannot be looked at: " + reason(e), e);
        }
    }

    /** Makes a new file of zeros, which nobody has made before. */
    static void create(Path path, long bytes, FileAttribute<?>... attributes) {
        try {
            Files.createFile(path, attributes);
            try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
                file.setLength(bytes);
            }
        } catch (IOException e) {
            throw new ArrayFileException(path + ": cannot be created with " + bytes + " bytes: " + reason(e), e);
        }
    }

    /**
     * Opens a file that others write to as well, also on the same page. A client of NFS sends the bytes of each write
     * alone only if it does so at once; without that, it may write whole pages as it has them.
     */
    static OpenFile openShared(Path path) {
        return isByPages(path) ? open(path, StandardOpenOption.WRITE, StandardOpenOption.DSYNC)
            : open(path, StandardOpenOption.WRITE);
    }

    private static boolean isByPages(Path path) {
        try {
            return Files.getFileStore(path).type().startsWith("nfs");
        } catch (IOException e) {
            return true; // unknown, so the way that is always right
        }
    }

    /** Why it failed, without the path. */
    static String reason(IOException failure) {
        if (failure instanceof NoSuchFileException) {
            return "no such file or folder";
        }
        return failure instanceof FileSystemException system && system.getReason() != null ? system.getReason()
            : Shortage.describe(failure);
    }

    Path path() {
        return path;
    }

    long size() {
        try {
            return file.run(FileChannel::size);
        } catch (IOException e) {
            throw new ArrayFileException(path + ": has no length: " + reason(e), e);
        }
    }

    /** Fills what is left of a buffer. */
    void read(ByteBuffer target, long offset) {
        int length = target.remaining();
        long from = offset - target.position(); // of what was at position 0
        try {
            while (target.hasRemaining()) {
                if (file.run(channel -> channel.read(target, from + target.position())) < 0) {
                    throw new ArrayFileException(path + ": is truncated: it ends at byte "
                        + (from + target.position()) + ", and bytes " + offset + " to " + (offset + length)
                        + " are needed");
                }
            }
        } catch (IOException e) {
            throw new ArrayFileException(path + ": cannot read " + length + " bytes at byte " + offset + ": "
                + reason(e), e);
        }
    }

    /** Writes what is left of a buffer. */
    void write(ByteBuffer source, long offset) {
        isWritten = true;
        int length = source.remaining();
        long from = offset - source.position(); // of what was at position 0
        try {
            while (source.hasRemaining()) {
                file.run(channel -> channel.write(source, from + source.position()));
            }
        } catch (IOException e) {
            throw new ArrayFileException(path + ": cannot write " + length + " bytes at byte " + offset + ": "
                + reason(e), e);
        }
    }

    /** Waits until the disk has what was written, or the folder what was renamed in it. */
    void synchronize() {
        try {
            file.run(channel -> {
                channel.force(true);
                return null;
            });
        } catch (IOException e) {
            throw new ArrayFileException(path + ": cannot be synchronized to the disk: " + reason(e), e);
        }
    }

    /** Fails only when something that was written may be lost. */
    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            if (isWritten) {
                throw new ArrayFileException(path + ": cannot be closed: " + reason(e), e);
            }
        }
    }
}

package org.tributary.wire;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;

/**
 * A file that an interrupt of the thread does not keep from being read, written or mapped: others may wait for this
 * process to have done it. An interrupt closes a {@link FileChannel}, which is opened anew then. The interrupt status
 * stays set. One thread.
 */
public final class UninterruptedFile implements AutoCloseable {
    private final Path path;
    private final OpenOption[] options;
    private FileChannel channel;

    private UninterruptedFile(Path path, OpenOption... options) throws IOException {
        this.path = path;
        this.options = options.clone();
        channel = FileChannel.open(path, options);
    }

    /** Something done with the channel. */
    public interface Step<T> {
        /** May be done in part, and then anew; so it goes by positions in the file that it knows itself. */
        T on(FileChannel channel) throws IOException;
    }

    /**
     * Opens a file that is there.
     *
     * @param options such that opening it once more changes nothing
     */
    public static UninterruptedFile open(Path path, OpenOption... options) throws IOException {
        return new UninterruptedFile(path, options);
    }

    /** Does something, anew whenever an interrupt has come between. */
    public <T> T run(Step<T> step) throws IOException {
        boolean isInterrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return step.on(channel);
                } catch (ClosedByInterruptException e) {
                    isInterrupted |= Thread.interrupted();
                    channel = FileChannel.open(path, options);
                }
            }
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}

package org.tributary.launcher.host;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.tributary.launcher.link.TracePart;
import org.tributary.wire.shm.TraceLayout;

/**
 * Writes the traces of one host's ranks, one after the other, into the launcher's folder. A trace has its name when it
 * is complete, and takes the place of no other file. Thread-safe.
 */
final class TraceFiles implements AutoCloseable {
    private final Path folder;
    private final String jobId;
    private final Set<Integer> ranks;
    private RandomAccessFile file;
    private Path part;
    private int rank;
    private boolean closed;

    /** {@code ranks} are those that are expected. */
    TraceFiles(Path folder, String jobId, Set<Integer> ranks) {
        this.folder = folder;
        this.jobId = jobId;
        this.ranks = Set.copyOf(ranks);
    }

    synchronized void add(TracePart piece) throws IOException {
        if (closed) {
            return;
        }
        if (!ranks.contains(piece.rank())) {
            throw new IOException("a trace of rank " + piece.rank() + ", which was not asked for");
        }
        if (file == null || rank != piece.rank()) {
            drop();
            rank = piece.rank();
            Path made = folder.resolve("." + TraceLayout.file(folder, jobId, rank).getFileName() + ".part");
            Files.createFile(made);
            part = made;
            file = new RandomAccessFile(part.toFile(), "rw");
        }
        file.seek(piece.offset());
        file.write(piece.bytes());
        if (piece.isLast()) {
            file.setLength(piece.length());
            file.close();
            Path whole = TraceLayout.file(folder, jobId, rank);
            if (Files.exists(whole)) {
                throw new FileAlreadyExistsException(whole.toString());
            }
            Files.move(part, whole);
            part = null;
            file = null;
        }
    }

    /** Removes the file that is not complete, if there is one. */
    private void drop() throws IOException {
        if (file != null) {
            file.close();
            file = null;
        }
        if (part != null) {
            Files.deleteIfExists(part);
            part = null;
        }
    }

    /** Incomplete files are removed; pieces that come from now on are dropped. */
    @Override
    public synchronized void close() throws IOException {
        closed = true;
        drop();
    }
}

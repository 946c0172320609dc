package org.tributary.globalarrays.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;
import org.tributary.client.Group;

/** A file that all members of a group write, and that replaces the one of its name when it is whole. */
final class NewFile {
    private static final String SUFFIX = ".new";

    private NewFile() {
    }

    /**
     * Writes it. Whatever ends the processes, the former file or the new one is there. Collective.
     *
     * @param writing what each member does with the open file
     */
    static void write(Group group, Path file, Consumer<OpenFile> writing) {
        Path whole = file.toAbsolutePath();
        Path temporary = whole.resolveSibling(whole.getFileName() + SUFFIX);
        boolean isFirst = group.rank() == 0;
        try {
            Agreement.on(group, () -> {
                if (isFirst) {
                    create(temporary);
                }
            });
            Agreement.on(group, () -> {
                try (OpenFile open = OpenFile.open(temporary, StandardOpenOption.WRITE)) {
                    writing.accept(open);
                    open.synchronize();
                }
            });
            Agreement.on(group, () -> {
                if (isFirst) {
                    rename(temporary, whole);
                }
            });
        } catch (ArrayFileException e) {
            if (isFirst) {
                remove(temporary);
            }
            group.barrier(); // all find it gone
            throw e;
        }
    }

    /** A new one, so that a process of a former job that still writes to its own does no harm. */
    private static void create(Path temporary) {
        remove(temporary);
        OpenFile.open(temporary, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW).close();
    }

    private static void rename(Path temporary, Path whole) {
        try {
            Files.move(temporary, whole, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new ArrayFileException(whole + ": cannot be replaced by " + temporary + ": " + OpenFile.reason(e), e);
        }
        try (OpenFile folder = OpenFile.open(whole.getParent(), StandardOpenOption.READ)) {
            folder.synchronize();
        }
    }

    private static void remove(Path temporary) {
        try {
            Files.deleteIfExists(temporary);
        } catch (IOException e) {
            // Then it cannot be created anew either, which says why.
        }
    }
}

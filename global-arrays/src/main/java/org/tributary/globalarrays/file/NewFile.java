package org.tributary.globalarrays.file;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.tributary.client.Group;

/**
 * A file that all members of a group write, and that replaces the one of its name when it is whole. Its temporary name
 * is {@code FILE.NUMBER.new}, with a random number of 16 hexadecimal digits: so no two writers have the same.
 */
final class NewFile {
    private static final String SUFFIX = ".new";
    /** No file that is being written rests for so long; far more than clocks of hosts differ. */
    private static final Duration ABANDONED = Duration.ofDays(1);
    private static final int MOST_LINKS = 40;
    private static final SecureRandom RANDOM = new SecureRandom();

    private NewFile() {
    }

    /**
     * Writes it. Whatever ends the processes, the former file or the new one is there. A symbolic link stays, and the
     * file that it leads to is replaced; the new one has its permissions. Collective.
     *
     * <p>The file has its length before any member but the first opens it: a client of NFS that writes beyond the end
     * it knows of may write zeros over what another client has written to the same page.
     *
     * @param bytes   length of the file, the same on all members
     * @param writing what each member does with the open file
     */
    static void write(Group group, Path file, long bytes, Consumer<OpenFile> writing) {
        boolean isFirst = group.rank() == 0;
        long[] number = {isFirst ? RANDOM.nextLong() : 0};
        group.broadcast(0, number);
        Path target = target(file);
        Path temporary = target.resolveSibling(target.getFileName() + "." + HexFormat.of().toHexDigits(number[0])
            + SUFFIX);
        Runnable undo = () -> {
            if (isFirst) {
                remove(temporary);
            }
        };
        Agreement.on(group, () -> {
            if (isFirst) {
                requireReplaceable(target);
                removeAbandoned(target);
                OpenFile.create(temporary, bytes, Permissions.ofNew(target));
            }
        }, undo);
        Agreement.on(group, () -> {
            try (OpenFile open = OpenFile.openShared(temporary)) {
                writing.accept(open);
                open.synchronize();
            }
        }, undo);
        Agreement.on(group, () -> {
            if (isFirst) {
                Permissions.copy(target, temporary);
                rename(temporary, target);
            }
        }, undo);
    }

    /** The path at the end of links, whether there is a file or not. */
    private static Path target(Path file) {
        Path target = file.toAbsolutePath();
        try {
            for (int links = 0; links < MOST_LINKS && Files.isSymbolicLink(target); links++) {
                target = target.resolveSibling(Files.readSymbolicLink(target));
            }
        } catch (IOException e) {
            // A link that cannot be read is refused as one.
        }
        return target;
    }

    private static void requireReplaceable(Path target) {
        if (OpenFile.look(target, LinkOption.NOFOLLOW_LINKS).filter(there -> !there.isRegularFile()).isPresent()) {
            throw new ArrayFileException(target + ": is no regular file, so it cannot be replaced");
        }
    }

    /** Removes temporary files of the same target that killed jobs have left, once they are old enough. */
    private static void removeAbandoned(Path target) {
        Pattern name = Pattern.compile(Pattern.quote(target.getFileName().toString()) + "\\.[0-9a-f]{16}\\" + SUFFIX);
        Instant oldest = Instant.now().minus(ABANDONED);
        try (DirectoryStream<Path> abandoned = Files.newDirectoryStream(target.getParent(),
            one -> name.matcher(one.getFileName().toString()).matches()
                && Files.getLastModifiedTime(one, LinkOption.NOFOLLOW_LINKS).toInstant().isBefore(oldest))) {
            abandoned.forEach(NewFile::remove);
        } catch (IOException | DirectoryIteratorException e) {
            // They only take room; a folder that is not there is reported when the file is created.
        }
    }

    private static void rename(Path temporary, Path target) {
        try {
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new ArrayFileException(target + ": cannot be replaced by " + temporary + ": " + OpenFile.reason(e),
                e);
        }
        try (OpenFile folder = OpenFile.open(target.getParent(), StandardOpenOption.READ)) {
            folder.synchronize();
        } catch (ArrayFileException e) {
            // Some file systems refuse it. The new file is in place; after a loss of power the former one may be.
        }
    }

    private static void remove(Path temporary) {
        try {
            Files.deleteIfExists(temporary);
        } catch (IOException e) {
            // It only takes room.
        }
    }
}

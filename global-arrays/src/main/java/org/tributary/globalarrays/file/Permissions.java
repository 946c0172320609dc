package org.tributary.globalarrays.file;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/** Who may read and write a file that takes the place of another. */
final class Permissions {
    private static final FileAttribute<?> OWN = PosixFilePermissions.asFileAttribute(
        EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE));
    private static final Set<PosixFilePermission> OF_GROUP = EnumSet.of(PosixFilePermission.GROUP_READ,
        PosixFilePermission.GROUP_WRITE, PosixFilePermission.GROUP_EXECUTE);

    private Permissions() {
    }

    /** What a file is created with: for its owner alone until {@link #copy}, if it will replace one. */
    static FileAttribute<?>[] ofNew(Path former) {
        return Files.exists(former, LinkOption.NOFOLLOW_LINKS) ? new FileAttribute<?>[] {OWN}
            : new FileAttribute<?>[0];
    }

    /**
     * Gives a new file the group and the permissions of the former one, if there is one. Where the group cannot be
     * kept, because the owner is not in it, no other group gets what it had.
     */
    static void copy(Path former, Path file) {
        try {
            PosixFileAttributes wanted = Files.readAttributes(former, PosixFileAttributes.class,
                LinkOption.NOFOLLOW_LINKS);
            PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class,
                LinkOption.NOFOLLOW_LINKS);
            Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
            permissions.addAll(wanted.permissions());
            if (!keepsGroup(view, wanted)) {
                permissions.removeAll(OF_GROUP);
            }
            set(view, permissions);
        } catch (NoSuchFileException e) {
            // There is none to replace.
        } catch (IOException e) {
            throw new ArrayFileException(file + ": cannot have the permissions of " + former + ": "
                + OpenFile.reason(e), e);
        }
    }

    /** Some file systems have none that could be set: those that it gives stay, unless they allow more. */
    private static void set(PosixFileAttributeView view, Set<PosixFilePermission> permissions) throws IOException {
        try {
            view.setPermissions(permissions);
        } catch (FileSystemException e) {
            if (!permissions.containsAll(view.readAttributes().permissions())) {
                throw e;
            }
        }
    }

    private static boolean keepsGroup(PosixFileAttributeView view, PosixFileAttributes wanted) throws IOException {
        if (view.readAttributes().group().equals(wanted.group())) {
            return true;
        }
        try {
            view.setGroup(wanted.group());
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}

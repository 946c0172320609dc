package org.tributary.wire.shm;

import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.tributary.config.HostFacts;
import org.tributary.wire.shm.LockedDirectory.Swept;

/** Files that libfabric's provider shm makes in shared memory, {@code PID:…}. Stateless and thread-safe. */
public final class ProviderFiles {
    private static final File FOLDER = new File("/dev/shm");
    private static final Pattern NAME = Pattern.compile("(\\d{1,10}):\\d+:\\d+");

    private ProviderFiles() {
    }

    /** Removes those of a process that ends, or has ended, without closing its endpoints. */
    public static void remove(long pid) {
        File[] files = FOLDER.listFiles((folder, name) -> name.startsWith(pid + ":"));
        for (File file : files == null ? new File[0] : files) {
            boolean unused = file.delete(); // another process of the user may have done it
        }
    }

    /** Removes those of this user whose processes are not there any more, whatever program they were of. */
    public static Swept sweep() {
        return sweep(FOLDER.toPath());
    }

    static Swept sweep(Path folder) {
        List<String> removed = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            int user = HostFacts.user();
            for (Path file : files) {
                removeIfLeft(file, user, removed, problems);
            }
        } catch (NoSuchFileException e) {
            // There is nothing to sweep.
        } catch (IOException e) {
            problems.add("cannot sweep " + folder + ": " + e.getMessage());
        } catch (DirectoryIteratorException e) {
            problems.add("cannot read " + folder + ": " + e.getCause().getMessage());
        }
        return new Swept(removed, problems);
    }

    private static void removeIfLeft(Path file, int user, List<String> removed, List<String> problems) {
        try {
            if (isLeft(file, user)) {
                Files.delete(file);
                removed.add(file.toString());
            }
        } catch (NoSuchFileException e) {
            // Somebody else has removed it.
        } catch (IOException e) {
            problems.add("cannot remove " + file + ": " + e.getMessage());
        }
    }

    private static boolean isLeft(Path file, int user) throws IOException {
        Matcher name = NAME.matcher(file.getFileName().toString());
        return name.matches() && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
            && Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS).equals(user)
            && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty();
    }
}

package org.tributary.launcher.status;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import org.tributary.wire.shm.LockedDirectory;

/**
 * On which host the launcher of a job is, as the agent of a node here has noted it among the job's files. These lie
 * where all users may make files: nothing there is believed before it is checked. Stateless.
 */
public final class LauncherHost {
    private static final int MOST_BYTES = 255;
    private static final Pattern HOST = Pattern.compile("host [A-Za-z0-9._:-]+ \\(pid [0-9]+\\)");

    private LauncherHost() {
    }

    /** What such a file says; empty when there is none, its directory is another user's, or it names no host. */
    public static Optional<String> of(Path file) {
        try {
            String host = LockedDirectory.readOwn(file.getParent(), file.getFileName().toString(), MOST_BYTES);
            return Optional.of(host).filter(text -> HOST.matcher(text).matches());
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}

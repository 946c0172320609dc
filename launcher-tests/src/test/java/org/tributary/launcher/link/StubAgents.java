package org.tributary.launcher.link;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.tributary.config.ProcessFiles;

/** A command for {@code --launch-agent}, whose hosts are this machine or do not answer as they should. */
public final class StubAgents {
    private static final String COMMAND = """
        #!/bin/sh
        host=$1; shift
        case $host in
            lost) echo "Could not resolve hostname lost" >&2; exit 255 ;;
            old) echo "tributary agent 0.0.1"; exec sleep 1000 ;;
            silent) exec sleep 1000 ;;
        esac
        %s
        exec "$@"
        """;

    private StubAgents() {
    }

    /** Written into a directory; {@code script} does what other values of {@code $host} need. */
    public static LaunchCommand in(Path directory, String script) throws IOException {
        Path command = Files.createFile(directory.resolve("launch"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.writeString(command, COMMAND.formatted(script));
        return LaunchCommand.parse(command.toString());
    }

    /** Agents of this process; one that is killed is there for a while. */
    public static List<ProcessHandle> running() {
        return ProcessHandle.current().descendants().filter(process -> ProcessFiles.of(process).runs()
            && ProcessFiles.of(process).commandLine().getLast().equals("agent")).toList();
    }
}

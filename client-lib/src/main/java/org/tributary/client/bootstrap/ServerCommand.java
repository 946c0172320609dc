package org.tributary.client.bootstrap;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.tributary.config.JobVariables;

/**
 * How to start a server: the command {@code tributary} of TRIBUTARY_HOME, there or in its folder {@code bin}; else the
 * distribution that this class comes from, on the JDK of this process; else {@code tributary} on the path.
 */
final class ServerCommand {
    private static final String NAME = "tributary";
    private static final String JAR = "tributary-launcher.jar";
    private static final List<String> ARGUMENTS = List.of("server", "--supervised");

    private ServerCommand() {
    }

    static List<String> find(Map<String, String> environment) throws IOException {
        return find(environment, ownJar());
    }

    /** {@code jar} is the one with this class, or null. */
    static List<String> find(Map<String, String> environment, Path jar) throws IOException {
        String home = environment.get(JobVariables.HOME);
        if (home != null && !home.isBlank()) {
            Path command = Path.of(home, NAME).toAbsolutePath();
            Path ofRelease = Path.of(home, "bin", NAME).toAbsolutePath();
            return with(List.of(Stream.of(command, ofRelease).filter(ServerCommand::isCommand).findFirst()
                .orElseThrow(() -> new IOException(JobVariables.HOME + "=" + home + ", but neither " + command + " nor "
                    + ofRelease + " can be run; name the folder with the command `tributary` or `bin/tributary`"))
                .toString()));
        }
        Path lib = jar == null ? null : jar.resolve("../..").normalize(); // jars of ranks have a folder of their own
        if (lib != null && Files.isReadable(lib.resolve(JAR))) {
            return distribution(lib);
        }
        String path = environment.getOrDefault("PATH", "");
        return with(List.of(Stream.of(path.split(":")).filter(folder -> !folder.isEmpty())
            .map(folder -> Path.of(folder, NAME)).filter(ServerCommand::isCommand).findFirst()
            .orElseThrow(() -> new IOException("there is no command `tributary` to start a server with: set "
                + JobVariables.HOME + " to the folder that has it (PATH=" + path + ")")).toString()));
    }

    /** A folder of that name may be beside the sources or a release. */
    private static boolean isCommand(Path file) {
        return Files.isRegularFile(file) && Files.isExecutable(file);
    }

    private static List<String> distribution(Path lib) {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java")
            .toString()));
        Path options = lib.resolveSibling("server-jvm-options");
        if (Files.isReadable(options)) {
            command.add("@" + options);
        }
        Path cache = lib.resolveSibling("server.aot");
        if (Files.isReadable(cache)) {
            command.addAll(List.of("-XX:AOTCache=" + cache, "-Xlog:aot*=off"));
        }
        Path code = lib.resolve("native");
        if (Files.isReadable(code)) {
            command.add("-Djava.library.path=" + code);
        }
        command.addAll(List.of("-jar", lib.resolve(JAR).toString()));
        return with(command);
    }

    private static List<String> with(List<String> command) {
        return Stream.concat(command.stream(), ARGUMENTS.stream()).toList();
    }

    private static Path ownJar() {
        CodeSource source = ServerCommand.class.getProtectionDomain().getCodeSource();
        boolean isJar = source != null && source.getLocation().getPath().endsWith(".jar");
        return isJar ? Path.of(URI.create(source.getLocation().toString())) : null;
    }
}

package org.tributary.launcher.job;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Jars of the distribution, by who needs them, so that a library of a user meets no other version of it in a rank.
 * Where there is no distribution (in tests), all stand for the launcher's own class path.
 */
public enum Libraries {
    /** Of a user's program: the API of a rank and what that uses. */
    RANK("rank"),
    /** Of the programs that come with Tributary. */
    PROGRAM("rank", "programs"),
    /** More jars of a rank whose data a network adapter moves: libraries of others, so they come behind the user's. */
    ADAPTER("adapter"),
    /** Of benchmarks, which run servers and simulations, too. */
    ALL("rank", "programs", "", "adapter");

    private static final String JAR = "tributary-launcher.jar";

    private final List<String> folders;

    Libraries(String... folders) {
        this.folders = List.of(folders);
    }

    /** A class path, jar by jar in a fixed order: a cache of classes fits no other one. */
    public String jars() {
        Path jar = launcher();
        return jar == null ? own() : folders.stream().flatMap(folder -> list(folderOf(jar, folder)))
            .collect(Collectors.joining(File.pathSeparator));
    }

    private static String own() {
        return System.getProperty("java.class.path");
    }

    private static Path folderOf(Path jar, String folder) {
        return jar.getParent().resolve(folder);
    }

    private static Stream<String> list(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(Path::toString).filter(file -> file.endsWith(".jar")).sorted().toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The launcher's own jar in the distribution, or null. Classes do not tell: those from a cache of classes name the
     * place where the cache was made, which may be gone.
     */
    static Path launcher() {
        return Stream.of(own().split(File.pathSeparator)).map(Path::of).filter(entry -> entry.endsWith(JAR))
            .findFirst().map(Path::toAbsolutePath).orElse(null);
    }
}

package org.tributary.launcher.cli;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.tributary.config.ConfigException;
import org.tributary.config.Nearest;
import org.tributary.launcher.job.JavaCommand;
import org.tributary.launcher.job.Libraries;

/** Finds out what the words after the options of {@code run} start, and refuses what cannot start at all. */
final class RankCommand {
    private final String userClassPath;
    private final List<String> jvmOptions;
    private final boolean hasAdapter;

    /** {@code hasAdapter}: a network adapter may move data of the ranks. */
    RankCommand(String userClassPath, List<String> jvmOptions, boolean hasAdapter) {
        this.userClassPath = userClassPath;
        this.jvmOptions = jvmOptions;
        this.hasAdapter = hasAdapter;
    }

    /** A program of ours by its name, or else a main class. */
    List<String> java(Programs programs, List<String> words) {
        String program = words.getFirst();
        checkClassPath();
        Programs.Program known = programs.byName().get(program);
        if (known != null) {
            return withArguments(rank(Libraries.PROGRAM, known.mainClass()), words);
        }
        boolean isUsers = isUsersClass(program);
        if (isUsers || isOurClass(program)) {
            Libraries libraries = isUsers ? Libraries.RANK : Libraries.ALL;
            return withArguments(rank(libraries, program), words);
        }
        if (program.contains(".") || !userClassPath.isEmpty()) {
            throw new ConfigException("no class " + program + " on the class path"
                + (userClassPath.isEmpty() ? " (--class-path adds to it)" : " " + userClassPath));
        }
        throw new ConfigException("unknown program '" + program + "'"
            + Nearest.hint(program, programs.byName().keySet())
            + " (a main class needs --class-path, an executable -- before it)");
    }

    /** Libraries of others that an adapter needs come behind the user's, who may have other versions of them. */
    private List<String> rank(Libraries libraries, String mainClass) {
        String behind = userClassPath;
        if (hasAdapter && libraries != Libraries.ALL) {
            behind += (behind.isEmpty() ? "" : File.pathSeparator) + Libraries.ADAPTER.jars();
        }
        return JavaCommand.rank(libraries, mainClass, behind, jvmOptions);
    }

    /** Any executable, looked up as a shell does. */
    List<String> executable(List<String> words) {
        String program = words.getFirst();
        Stream<Path> places = program.contains("/")
            ? Stream.of(Path.of(program))
            : Stream.of(System.getenv().getOrDefault("PATH", "/usr/bin:/bin").split(File.pathSeparator))
                .map(directory -> Path.of(directory, program));
        if (places.noneMatch(path -> Files.isExecutable(path) && !Files.isDirectory(path))) {
            throw new ConfigException("cannot execute '" + program + "': no such executable"
                + (program.contains("/") ? "" : " on the PATH"));
        }
        return words;
    }

    private static List<String> withArguments(List<String> command, List<String> words) {
        List<String> whole = new ArrayList<>(command);
        whole.addAll(words.subList(1, words.size()));
        return whole;
    }

    private void checkClassPath() {
        for (String entry : entries()) {
            String place = entry.endsWith("*") ? entry.substring(0, entry.length() - 1) : entry;
            if (!Files.exists(Path.of(place))) {
                throw new ConfigException("--class-path: " + entry + " does not exist");
            }
        }
    }

    private static boolean isOurClass(String name) {
        return RankCommand.class.getClassLoader().getResource(fileOf(name)) != null;
    }

    private boolean isUsersClass(String name) {
        return entries().stream().anyMatch(entry -> entry.endsWith("*") || contains(Path.of(entry), fileOf(name)));
    }

    private static String fileOf(String className) {
        return className.replace('.', '/') + ".class";
    }

    private static boolean contains(Path entry, String file) {
        if (Files.isDirectory(entry)) {
            return Files.exists(entry.resolve(file));
        }
        try (ZipFile jar = new ZipFile(entry.toFile())) {
            return jar.getEntry(file) != null;
        } catch (IOException e) {
            throw new ConfigException("--class-path: " + entry + " is neither a directory nor a jar");
        }
    }

    private List<String> entries() {
        return Stream.of(userClassPath.split(File.pathSeparator)).filter(entry -> !entry.isEmpty()).toList();
    }
}

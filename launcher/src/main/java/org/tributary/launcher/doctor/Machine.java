package org.tributary.launcher.doctor;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.tributary.config.Settings;

/** The files of a machine below a root, which is {@code /} but in tests, and answers that are in no file. */
public final class Machine {
    /** How a file of 64 bits begins (elf(5)). */
    private static final byte[] ELF = {0x7f, 'E', 'L', 'F', 2};

    private final Path root;
    private final Settings settings;
    private final Answers answers;

    public Machine(Path root, Settings settings, Answers answers) {
        this.root = root;
        this.settings = settings;
        this.answers = answers;
    }

    /** Settings that jobs would have. */
    Settings settings() {
        return settings;
    }

    Answers ask() {
        return answers;
    }

    /** Without white space at the ends; empty when it cannot be read. */
    String text(String path) {
        try {
            return Files.readString(at(path), StandardCharsets.ISO_8859_1).strip();
        } catch (IOException e) {
            return "";
        }
    }

    /** Empty when there is none; {@code max}, as files of control groups say, is the largest. */
    OptionalLong number(String path) {
        String text = text(path);
        if (text.equals("max")) {
            return OptionalLong.of(Long.MAX_VALUE);
        }
        return text.matches("-?\\d{1,18}") ? OptionalLong.of(Long.parseLong(text)) : OptionalLong.empty();
    }

    /** Whether it is a library that programs of this machine can load, and not one of 32 bits. */
    boolean isLibrary(String path) {
        byte[] begin = new byte[ELF.length];
        try (InputStream file = Files.newInputStream(at(path))) {
            return file.readNBytes(begin, 0, begin.length) == ELF.length && Arrays.equals(begin, ELF);
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether this user may run it. */
    boolean isProgram(String path) {
        return Files.isRegularFile(at(path)) && Files.isExecutable(at(path));
    }

    /** Where a directory really is, as far as it exists. */
    Path real(Path directory) {
        Path absolute = directory.toAbsolutePath();
        for (Path existing = absolute; existing != null; existing = existing.getParent()) {
            try {
                Path inside = root.toRealPath().relativize(at(existing.toString()).toRealPath());
                return Path.of("/").resolve(inside).resolve(existing.relativize(absolute)).normalize();
            } catch (IOException e) {
                continue; // that above it may be there
            }
        }
        return absolute;
    }

    /** Names in a directory, in alphabetical order. */
    List<String> names(String directory) {
        try (Stream<Path> entries = Files.list(at(directory))) {
            return entries.map(path -> path.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    private Path at(String path) {
        return root.resolve(path.substring(1));
    }

    /** Facts that only the running system can tell. */
    public interface Answers {
        /** Version of the JDK that servers and ranks run on. */
        Runtime.Version java();

        int processors();

        /** Bytes of the file system of a directory that this user may still take. */
        long freeBytes(Path directory) throws IOException;

        Path temporaryDirectory();

        /** Addresses of a host's name; empty when it has none. It throws when nobody knows. */
        List<String> addressesOf(String host) throws IOException;

        /** Addresses of all interfaces. */
        List<String> ownAddresses();

        /** The address that servers advertise, and why. */
        String advertised() throws IOException;

        /** Why servers cannot listen where they are to; nothing when they can. */
        List<String> portProblems();

        /** How many event loops a server would have, and why. */
        String eventLoops();

        /** Why so many are too many, or null. */
        String eventLoopsProblem();

        /** Why the kernel cannot encrypt streams, or null. */
        String kernelTlsProblem();

        /** Directories of jobs that have died. */
        List<String> stale();

        /** What the loader finds without being told where: files by the names of libraries. */
        Map<String, String> loadable();

        /** Folders that are searched for libraries besides those of the system. */
        List<String> libraryPath();

        /** Folders that are searched for programs. */
        List<String> programPath();
    }
}

package org.tributary.nativeclient;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the CMake build has left in the target folder of the C client. */
final class NativeBuild {
    private static final Path TARGET = Path.of("../native/target").toAbsolutePath();

    private NativeBuild() {
    }

    /** Skips the calling test, and says why, when nothing was built. */
    static void assumeBuilt() {
        Path marker = TARGET.resolve("native-skipped");
        try {
            assumeFalse(Files.exists(marker), () -> read(marker));
        } catch (RuntimeException e) {
            System.out.println(read(marker));
            throw e;
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            return file + " cannot be read: " + e;
        }
    }

    /** A test program as it is installed. */
    static Path program(String name) {
        return TARGET.resolve("cmake/test").resolve(name);
    }

    /** A test program with AddressSanitizer and UndefinedBehaviorSanitizer. */
    static Path sanitizedProgram(String name) {
        return TARGET.resolve("cmake-sanitized/test").resolve(name);
    }

    /** A test program with ThreadSanitizer. */
    static Path racedProgram(String name) {
        return TARGET.resolve("cmake-threads/test").resolve(name);
    }

    /** The test of the shim over libfabric, with the sanitizers; missing where libfabric is. */
    static Path fabric() {
        return TARGET.resolve("cmake-sanitized/fabric/fabric");
    }

    /** Where ctest finds the tests of libarmci. */
    static Path armci() {
        return TARGET.resolve("cmake/armci/test");
    }

    /** Where ctest finds those that are built with sanitizers. */
    static Path sanitizedArmci() {
        return TARGET.resolve("cmake-sanitized/armci/test");
    }

    /** Where ctest finds those that are built with ThreadSanitizer. */
    static Path racedArmci() {
        return TARGET.resolve("cmake-threads/armci/test");
    }

    /** Where headers and libraries are installed. */
    static Path prefix() {
        return TARGET.resolve("prefix");
    }

    /** Where a tool is on the PATH; skips the calling test when it is not. */
    static Path assumeTool(String name) {
        for (String directory : System.getenv().getOrDefault("PATH", "").split(":")) {
            if (Files.isExecutable(Path.of(directory, name))) {
                return Path.of(directory, name);
            }
        }
        System.out.println("skipped: " + name + " is not installed");
        assumeFalse(true, name + " is not installed");
        return null;
    }
}

package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A virtual machine with another kernel, and this machine's files, on which tests of other modules run.
 * CONTRIBUTING.md says what it needs.
 */
final class Machine {
    static final Path TOP = Path.of("..").toAbsolutePath().normalize();

    private Machine() {
    }

    private static String classPath() {
        return Stream.concat(Stream.of("wire", "fabric", "server-tests", "client-lib", "client-tests", "native-tests")
                .map(module -> TOP.resolve(module).resolve("target/test-classes").toString()),
            Stream.of(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))))
            .collect(Collectors.joining(":"));
    }

    /** A line of a shell script that runs tests of a module, as {@link MachineTests} names them. */
    static String tests(String module, String options, String... names) {
        return "cd '" + TOP.resolve(module) + "' && '" + System.getProperty("java.home") + "/bin/java' '@"
            + TOP.resolve("config/src/main/resources/org/tributary/config/jvm-options") + "' -ea -Xmx1g"
            + " -XX:TieredStopAtLevel=1 -XX:+UseSerialGC " + options + " -cp '" + classPath() + "' "
            + MachineTests.class.getName() + " '" + String.join("' '", names) + "' || failed=1\n";
    }

    /**
     * Runs a script, whose lines set {@code failed=1} when something fails.
     *
     * @param name    of the folder for its files, below {@code target}
     * @param minutes after which it counts as failed
     * @param modules of the kernel, to load first
     * @return what tests have said
     */
    static List<String> run(String name, String script, long minutes, String... modules)
        throws IOException, InterruptedException {
        Path folder = Files.createDirectories(Path.of("target", name).toAbsolutePath());
        Path command = Files.writeString(folder.resolve("command.sh"),
            "PATH=/usr/bin:/bin:/usr/sbin:/sbin; export PATH\n"
            + "JAVA_HOME='" + System.getProperty("java.home") + "'; export JAVA_HOME\nfailed=0\n" + script
            + "exit $failed\n");
        Path console = folder.resolve("console.txt");
        Process machine = new ProcessBuilder(Stream.concat(Stream.of("sh",
            TOP.resolve("integration-tests/src/test/machine/boot.sh").toString(),
            System.getProperty("machine.kernel", "/"), folder.toString(), command.toString()), Stream.of(modules))
            .toList()).redirectErrorStream(true).redirectOutput(console.toFile()).start();
        try {
            assertTrue(machine.waitFor(minutes, TimeUnit.MINUTES), () -> "not ready after " + minutes
                + " minutes: " + console);
        } finally {
            machine.destroyForcibly().waitFor();
        }
        List<String> lines = Files.readAllLines(console, StandardCharsets.ISO_8859_1).stream()
            .map(String::strip).filter(line -> line.startsWith("machine: ")).toList();
        assertEquals("machine: exit 0", lines.isEmpty() ? null : lines.getLast(), () -> console + " says:\n"
            + String.join("\n", lines));
        return lines;
    }
}

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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Runs the tests of {@code network.encryption = ktls} where the kernel has kTLS: in a virtual machine. Part of
 * {@code -Pktls} only; CONTRIBUTING.md says what it needs.
 */
@Tag("ktls")
class KernelTlsMachineTest {
    private static final Path TOP = Path.of("..").toAbsolutePath().normalize();
    private static final Path FOLDER = Path.of("target/ktls").toAbsolutePath();
    private static final long MINUTES = 40;
    /** Tests of whole jobs, each of which has the word ktls in its name. */
    private static final int JOBS = 14;

    private static String classPath() {
        return Stream.concat(Stream.of("wire", "server-tests", "client-lib", "client-tests", "native-tests")
                .map(module -> TOP.resolve(module).resolve("target/test-classes").toString()),
            Stream.of(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))))
            .collect(Collectors.joining(":"));
    }

    /** A line of a shell script. */
    private static String tests(String module, String... names) {
        return "cd '" + TOP.resolve(module) + "' && '" + System.getProperty("java.home") + "/bin/java' '@"
            + TOP.resolve("config/src/main/resources/org/tributary/config/jvm-options") + "' -ea -Xmx1g"
            + " -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp '" + classPath() + "' " + MachineTests.class.getName()
            + " '" + String.join("' '", names) + "' || failed=1\n";
    }

    private static String script() {
        String ofJobs = "org.tributary.client.EncryptionTest#should";
        return "PATH=/usr/bin:/bin:/usr/sbin:/sbin; export PATH\n"
            + "JAVA_HOME='" + System.getProperty("java.home") + "'; export JAVA_HOME\nfailed=0\n"
            + tests("wire", "org.tributary.wire.record.KernelTlsTest")
            + tests("server-tests", "org.tributary.server.io.KernelStreamTest")
            + "cd '" + TOP.resolve("native") + "' && target/cmake/test/unit kernel-streams || failed=1\n"
            + tests("client-tests", ofJobs + "ShowNoPayloadWhenTheJobIsEncrypted(java.lang.String)@3,4,5",
                ofJobs + "EndTheJobWithAMessageWhenARecordIsTamperedWith(java.lang.String, boolean, java.lang.String)"
                + "@6,7,8,9,10,11",
                ofJobs + "EndTheJobWithAMessageWhenAStreamIsCutOff(java.lang.String, boolean)@2,3")
            + "TEST_SLACK=10; export TEST_SLACK\n"
            + tests("native-tests", "org.tributary.nativeclient.CooperationTest"
                + "#shouldUnderstandEachOtherWhenTheJobIsEncrypted(java.lang.String, java.lang.String,"
                + " java.lang.String)@3,4,5")
            + "cat /proc/net/tls_stat\nexit $failed\n";
    }

    @Test
    @Timeout(value = MINUTES + 5, unit = TimeUnit.MINUTES)
    void shouldPassWhatIsSkippedElsewhere() throws IOException, InterruptedException {
        Files.createDirectories(FOLDER);
        Path command = Files.writeString(FOLDER.resolve("command.sh"), script());
        Path console = FOLDER.resolve("console.txt");
        Process machine = new ProcessBuilder("sh", TOP.resolve("integration-tests/src/test/machine/boot.sh").toString(),
            System.getProperty("machine.kernel", "/"), FOLDER.toString(), command.toString(), "tls")
            .redirectErrorStream(true).redirectOutput(console.toFile()).start();
        try {
            assertTrue(machine.waitFor(MINUTES, TimeUnit.MINUTES), () -> "not ready after " + MINUTES
                + " minutes: " + console);
        } finally {
            machine.destroyForcibly().waitFor();
        }
        List<String> lines = Files.readAllLines(console, StandardCharsets.ISO_8859_1).stream()
            .map(String::strip).filter(line -> line.startsWith("machine: ")).toList();
        long ofJobs = lines.stream().filter(line -> line.startsWith("machine: passed"))
            .filter(line -> line.contains("ktls")).count();
        assertEquals(JOBS, ofJobs, () -> console + " says:\n" + String.join("\n", lines));
        assertEquals("machine: exit 0", lines.isEmpty() ? null : lines.getLast(), () -> console + " says:\n"
            + String.join("\n", lines));
    }
}

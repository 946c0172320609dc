package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Runs the tests of {@code network.encryption = ktls} where the kernel has kTLS: in a virtual machine. Part of
 * {@code -Pktls} only; CONTRIBUTING.md says what it needs.
 */
@Tag("ktls")
class KernelTlsMachineTest {
    private static final long MINUTES = 40;
    /** Tests of whole jobs, each of which has the word ktls in its name. */
    private static final int JOBS = 14;

    private static String script() {
        String ofJobs = "org.tributary.client.EncryptionTest#should";
        return Machine.tests("wire", "", "org.tributary.wire.record.KernelTlsTest")
            + Machine.tests("server-tests", "", "org.tributary.server.io.KernelStreamTest")
            + "cd '" + Machine.TOP.resolve("native") + "' && target/cmake/test/unit kernel-streams || failed=1\n"
            + Machine.tests("client-tests", "",
                ofJobs + "ShowNoPayloadWhenTheJobIsEncrypted(java.lang.String)@3,4,5",
                ofJobs + "EndTheJobWithAMessageWhenARecordIsTamperedWith(java.lang.String, boolean, java.lang.String)"
                + "@6,7,8,9,10,11",
                ofJobs + "EndTheJobWithAMessageWhenAStreamIsCutOff(java.lang.String, boolean)@2,3")
            + "TEST_SLACK=10; export TEST_SLACK\n"
            + Machine.tests("native-tests", "", "org.tributary.nativeclient.CooperationTest"
                + "#shouldUnderstandEachOtherWhenTheJobIsEncrypted(java.lang.String, java.lang.String,"
                + " java.lang.String)@3,4,5")
            + "cat /proc/net/tls_stat\n";
    }

    @Test
    @Timeout(value = MINUTES + 5, unit = TimeUnit.MINUTES)
    void shouldPassWhatIsSkippedElsewhere() throws IOException, InterruptedException {
        List<String> lines = Machine.run("ktls", script(), MINUTES, "tls");
        long ofJobs = lines.stream().filter(line -> line.startsWith("machine: passed"))
            .filter(line -> line.contains("ktls")).count();
        assertEquals(JOBS, ofJobs, () -> String.join("\n", lines));
    }
}

package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Runs the tests of the network adapter over verbs: in a virtual machine whose kernel has an adapter in software (soft
 * RoCE). Part of {@code -Pverbs} only; CONTRIBUTING.md says what it needs.
 */
@Tag("verbs")
class VerbsMachineTest {
    private static final long MINUTES = 40;
    private static final String ADDRESS = "10.9.0.1";
    private static final String OPTIONS = "-Dtributary.tests.providers=verbs -Dtributary.tests.address=" + ADDRESS;

    private static String script() {
        return "ip link add d0 type dummy && ip addr add " + ADDRESS + "/24 dev d0 && ip link set d0 up"
            + " && rdma link add rxe0 type rxe netdev d0"
            + " || { echo 'machine: no adapter: ip, rdma, or the kernel module rdma_rxe is missing'; exit 1; }\n"
            + "ulimit -l unlimited\n"
            // libfabric makes a queue of completions for 256 peers, of 65,536 entries; soft RoCE has room for 32,767
            + "export FI_UNIVERSE_SIZE=8 FI_OFI_RXM_MSG_TX_SIZE=64 FI_OFI_RXM_MSG_RX_SIZE=64\n"
            + "'" + Machine.TOP.resolve("native/target/cmake/fabric/fabric") + "' verbs " + ADDRESS + " || failed=1\n"
            + Machine.tests("fabric", OPTIONS, "org.tributary.fabric.EndpointTest",
                "org.tributary.fabric.channel.FabricChannelsTest")
            + Machine.tests("server-tests", OPTIONS, "org.tributary.server.AdapterTest",
                "org.tributary.server.adapter.NodeAdapterTest", "org.tributary.server.RequestBlocksTest")
            + Machine.tests("client-tests", OPTIONS, "org.tributary.client.AdapterTest",
                "org.tributary.client.RegisteredTransfersTest", "org.tributary.client.StoppedTargetTest",
                "org.tributary.client.ChannelsTest")
            + "TEST_SLACK=10; export TEST_SLACK\n"
            + Machine.tests("native-tests", OPTIONS, "org.tributary.nativeclient.AdapterTest",
                "org.tributary.nativeclient.ChannelsTest");
    }

    private static void assertPassed(List<String> lines, String test) {
        assertTrue(lines.stream().anyMatch(line -> line.startsWith("machine: passed") && line.contains(test)),
            () -> test + " has not passed:\n" + String.join("\n", lines));
    }

    @Test
    @Timeout(value = MINUTES + 5, unit = TimeUnit.MINUTES)
    void shouldPassOverVerbs() throws IOException, InterruptedException {
        List<String> lines = Machine.run("verbs", script(), MINUTES, "configfs", "crc32_generic", "dummy", "rdma_ucm",
            "ib_uverbs", "rdma_rxe");
        assertPassed(lines, "shouldReadAndWriteWhenTheTargetIsStopped");
        assertPassed(lines, "shouldSendNoMessagesWhenDataAreLarge");
        assertPassed(lines, "shouldNotCopyWhenTheCallerWaits");
        assertPassed(lines, "shouldMoveOrSayWhatFailed");
        assertPassed(lines, "shouldRegisterMemoryThatOnlyTheRuntimeFrees");
        assertPassed(lines, "shouldKeepOrderWhenRequestsGoByChannels");
    }
}

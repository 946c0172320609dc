package org.tributary.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.error.AttachException;
import org.tributary.client.error.GasException;
import org.tributary.client.testing.TestJob;
import org.tributary.client.testing.Wiretap;
import org.tributary.client.testing.Wiretap.Stream;
import org.tributary.config.Settings;
import org.tributary.server.ServerException;
import org.tributary.testsupport.ExpectsErrors;
import org.tributary.testsupport.ToleratesErrors;
import org.tributary.wire.record.KernelTls;
import org.tributary.wire.record.Records;

/** What somebody on the network between the nodes of an encrypted job can see and do. */
class EncryptionTest {
    private static final String PAYLOAD = "nobody else's business; ";
    private static final int BYTES = 200_000;
    private static final int SMALL_BYTES = 1000;
    private static final int PUTS = 300;
    private static final int TAMPERED = 20;
    private static final int NEXT_KEY = 1;

    private static byte[] payload() {
        return PAYLOAD.repeat(BYTES / PAYLOAD.length() + 1).substring(0, BYTES).getBytes(StandardCharsets.US_ASCII);
    }

    /** Every rank writes to all others, in pieces of several sizes, and reads it back. */
    private static void exchange(Gas gas) {
        byte[] expected = payload();
        MemorySegment source = MemorySegment.ofArray(expected);
        GlobalMemory memory = gas.allocate((long) BYTES * gas.rankCount());
        long own = (long) BYTES * gas.rank();
        for (int rank = 0; rank < gas.rankCount(); rank++) {
            memory.put(rank, own, source, 0, SMALL_BYTES);
            memory.put(rank, own + SMALL_BYTES, source, SMALL_BYTES, BYTES - SMALL_BYTES);
        }
        gas.fenceAll();
        gas.barrier();
        for (int rank = 0; rank < gas.rankCount(); rank++) {
            MemorySegment actual = MemorySegment.ofArray(new byte[BYTES]);
            memory.get(rank, own, actual, 0, SMALL_BYTES);
            memory.get(rank, own + SMALL_BYTES, actual, SMALL_BYTES, BYTES - SMALL_BYTES);
            assertEquals(-1, source.mismatch(actual));
        }
        gas.barrier();
    }

    /** Skipped where the kernel has no kTLS; {@code -Pktls} runs these tests on a machine whose kernel has it. */
    private static Stream streamOf(String layout) {
        boolean byKernel = layout.endsWith("ktls");
        assumeTrue(!byKernel || KernelTls.problem() == null, KernelTls::problem);
        return byKernel ? Stream.TLS : Stream.RECORDS;
    }

    private static boolean shows(byte[] recorded) {
        return new String(recorded, StandardCharsets.ISO_8859_1).contains(PAYLOAD);
    }

    @ParameterizedTest
    @ValueSource(strings = {"2*1 encrypted", "1,2,1 aggregate direct encrypted", "1,2,1 combine node encrypted",
        "2*1 ktls", "1,2,1 aggregate direct ktls", "1,2,1 combine node ktls"})
    void shouldShowNoPayloadWhenTheJobIsEncrypted(String layout) {
        Wiretap wiretap = new Wiretap(streamOf(layout));
        try (TestJob job = TestJob.startOn(wiretap, layout)) {
            job.run(EncryptionTest::exchange);
            assertTrue(wiretap.recorded().length > 2 * BYTES);
            assertFalse(shows(wiretap.recorded()));
        }
    }

    @Test
    void shouldShowPayloadWhenTheJobIsNotEncrypted() {
        Wiretap wiretap = new Wiretap(Stream.CLEAR);
        try (TestJob job = TestJob.startOn(wiretap, "2*1")) {
            job.run(EncryptionTest::exchange);
            assertTrue(shows(wiretap.recorded()));
        }
    }

    private static byte[] joined(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    /** What passes instead of two of the records. */
    private static byte[] tampered(Stream stream, String how, int index, byte[] record, AtomicReference<byte[]> kept) {
        boolean isFirst = index == TAMPERED;
        if (!isFirst && index != TAMPERED + 1) {
            return record;
        }
        return switch (how) {
            case "flip" -> {
                byte[] changed = record.clone();
                changed[stream.headBytes() + 3] ^= 1;
                yield changed;
            }
            case "drop" -> isFirst ? new byte[0] : record;
            case "repeat" -> joined(record, record);
            case "reorder" -> {
                byte[] earlier = kept.getAndSet(record);
                yield isFirst ? new byte[0] : joined(record, earlier);
            }
            default -> null;
        };
    }

    /** Everything that the ranks and a server of a job say in which one direction of a stream is tampered with. */
    private static String failureOfTamperedJob(String kind, boolean towardsServer, String how)
        throws InterruptedException {
        AtomicReference<byte[]> kept = new AtomicReference<>();
        Stream stream = streamOf(kind);
        Wiretap wiretap = new Wiretap(stream, (toServer, index, record) ->
            toServer == towardsServer ? tampered(stream, how, index, record, kept) : record);
        try (TestJob job = TestJob.startOn(wiretap, "2*1 " + kind)) {
            GasException failure = assertThrows(GasException.class, () -> job.run(gas -> {
                GlobalMemory memory = gas.allocate(Long.BYTES);
                for (int i = 0; i < PUTS && gas.rank() == 0; i++) {
                    memory.putLong(1, 0, i);
                    if (!towardsServer) {
                        gas.fence(1); // an answer to each
                    }
                }
                gas.fenceAll();
                gas.barrier();
            }));
            return failure.getMessage() + "; " + job.server(1).awaitTermination().reason();
        }
    }

    @ParameterizedTest
    @CsvSource({"encrypted,true,flip", "encrypted,true,drop", "encrypted,true,repeat", "encrypted,true,reorder",
        "encrypted,false,flip", "encrypted,false,repeat", "ktls,true,flip", "ktls,true,drop", "ktls,true,repeat",
        "ktls,true,reorder", "ktls,false,flip", "ktls,false,repeat"})
    @ToleratesErrors("closed REMOTE_RANK of rank 0 .*: .*record .*of an encrypted stream does not verify")
    void shouldEndTheJobWithAMessageWhenARecordIsTamperedWith(String kind, boolean towardsServer, String how)
        throws InterruptedException {
        String failure = failureOfTamperedJob(kind, towardsServer, how);
        assertTrue(failure.contains("of an encrypted stream does not verify"), failure);
    }

    @ParameterizedTest
    @CsvSource({"encrypted,true", "encrypted,false", "ktls,true", "ktls,false"})
    void shouldEndTheJobWithAMessageWhenAStreamIsCutOff(String kind, boolean towardsServer)
        throws InterruptedException {
        String failure = failureOfTamperedJob(kind, towardsServer, "cut");
        assertTrue(failure.contains("without a last record"), failure);
    }

    @Test
    void shouldGoOnWithAnotherKeyWhenThereHaveBeenManyRecords() {
        int[] renewed = new int[1];
        Wiretap wiretap = new Wiretap(Stream.RECORDS, (toServer, index, record) -> {
            if (toServer && (record[Records.HEAD_BYTES - 1] & NEXT_KEY) != 0) {
                renewed[0] = index;
            }
            return record;
        });
        try (TestJob job = TestJob.startOn(wiretap, "2*1 encrypted")) {
            job.run(gas -> {
                GlobalMemory memory = gas.allocate(Long.BYTES);
                for (int i = 1; i <= Records.PER_KEY && gas.rank() == 0; i++) {
                    memory.putLong(1, 0, i);
                }
                gas.fenceAll();
                gas.barrier();
                assertEquals(Records.PER_KEY, memory.getLong(1, 0));
                gas.barrier();
            });
        }
        assertEquals(Records.PER_KEY, renewed[0]);
    }

    @Test
    void shouldRefuseToStartWhenTheKernelCannotEncrypt() {
        String problem = KernelTls.problem();
        assumeTrue(problem != null, "this kernel can");
        ServerException refused = assertThrows(ServerException.class, () -> TestJob.start("2*1 ktls").close());
        assertTrue(refused.getMessage().contains("cannot start: " + problem), refused.getMessage());
        try (TestJob job = TestJob.start("2*1")) {
            AttachException late = assertThrows(AttachException.class, () -> Gas.attach(job.environmentOf(0),
                Settings.builder().set("job.on-failure=throw").set("network.encryption=ktls").build()));
            assertEquals(problem, late.getMessage());
        }
    }

    @Test
    @ExpectsErrors("refused .*: network.encryption is aes-gcm at the server of node 0 and none at rank 0")
    void shouldRefuseWhenARankAndAServerWantDifferentThings() {
        try (TestJob job = TestJob.start("2*1 encrypted")) {
            GasException refused = assertThrows(GasException.class, () -> Gas.attach(job.environmentOf(0),
                Settings.builder().set("job.on-failure=throw").build()));
            assertTrue(refused.getMessage().contains(
                "network.encryption is aes-gcm at the server of node 0 and none at rank 0 of node 0"),
                refused.getMessage());
        }
    }
}

package org.tributary.wire.record;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordsTest {
    private static final byte[] SECRET = "0123456789abcdef0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);

    private final ByteBuffer out = ByteBuffer.allocate(Records.MAX_BYTES);
    private final byte[] content = RecordOpener.contentBuffer();

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    private byte[] seal(RecordSealer sealer, String text) {
        out.clear();
        sealer.add(bytes(text));
        sealer.seal(out);
        return Arrays.copyOf(out.array(), out.position());
    }

    private String open(RecordOpener opener, byte[] record) throws RecordException {
        ByteBuffer in = ByteBuffer.wrap(record);
        int length = opener.open(in, content);
        assertEquals(length >= 0 ? record.length : 0, in.position());
        return length < 0 ? null : new String(content, 0, length, StandardCharsets.US_ASCII);
    }

    /** The same records are made and read by {@code native/test/unit.c}. */
    @Test
    void shouldMakeTheseRecordsOfTheseSecrets() throws RecordException {
        RecordSealer sealer = new RecordSealer(SECRET, 2);
        RecordOpener opener = new RecordOpener(SECRET);
        List<String> expected = RecordVectors.lines("records");
        List<byte[]> made = new ArrayList<>();
        made.add(seal(sealer, ""));
        made.add(seal(sealer, "one"));
        made.add(seal(sealer, "the third, under another key"));
        sealer.add(bytes("the last"));
        out.clear();
        sealer.sealLast(out);
        made.add(Arrays.copyOf(out.array(), out.position()));
        assertEquals(expected, made.stream().map(HexFormat.of()::formatHex).toList());
        assertEquals("", open(opener, made.get(0)));
        assertEquals("one", open(opener, made.get(1)));
        assertEquals("the third, under another key", open(opener, made.get(2)));
        assertFalse(opener.isEnded());
        assertEquals("the last", open(opener, made.get(3)));
        assertTrue(opener.isEnded());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16, 1000, Records.MAX_CONTENT - 1, Records.MAX_CONTENT})
    void shouldOpenWhatWasSealedWhenItHasThatLength(int length) throws RecordException {
        RecordSealer sealer = new RecordSealer(SECRET);
        RecordOpener opener = new RecordOpener(SECRET);
        byte[] plain = new byte[length];
        for (int i = 0; i < 3; i++) {
            new Random(i).nextBytes(plain);
            sealer.add(ByteBuffer.wrap(plain, 0, length / 2));
            sealer.add(ByteBuffer.wrap(plain, length / 2, length - length / 2));
            sealer.seal(out.clear());
            assertEquals(length, opener.open(out.flip(), content));
            assertArrayEquals(plain, Arrays.copyOf(content, length));
        }
    }

    @Test
    void shouldGiveNothingWhenPartOfARecordIsMissing() throws RecordException {
        RecordOpener opener = new RecordOpener(SECRET);
        byte[] record = seal(new RecordSealer(SECRET), "in pieces");
        for (int length = 0; length < record.length; length++) {
            assertEquals(null, open(opener, Arrays.copyOf(record, length)));
        }
        assertEquals("in pieces", open(opener, record));
    }

    @Test
    void shouldRefuseWhenAnyBitOfARecordIsAnother() {
        byte[] record = seal(new RecordSealer(SECRET), "flip");
        for (int bit = 0; bit < 8 * record.length; bit++) {
            byte[] changed = record.clone();
            changed[bit / 8] ^= (byte) (1 << bit % 8);
            RecordOpener opener = new RecordOpener(SECRET);
            ByteBuffer in = ByteBuffer.wrap(Arrays.copyOf(changed, Records.MAX_BYTES)); // its length may be longer now
            assertThrows(RecordException.class, () -> opener.open(in, content), "bit " + bit);
        }
    }

    private void assertRefused(Consumer<List<byte[]>> change, int good) throws RecordException {
        RecordSealer sealer = new RecordSealer(SECRET, 3);
        List<byte[]> records = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            records.add(seal(sealer, "record " + i));
        }
        change.accept(records);
        RecordOpener opener = new RecordOpener(SECRET);
        for (int i = 0; i < good; i++) {
            assertEquals("record " + i, open(opener, records.get(i)));
        }
        RecordException refused = assertThrows(RecordException.class, () -> open(opener, records.get(good)));
        assertTrue(refused.getMessage().contains("record " + good), refused.getMessage());
        assertThrows(RecordException.class, () -> open(opener, records.get(good)));
    }

    @Test
    void shouldRefuseWhenARecordIsDroppedRepeatedOrEarly() throws RecordException {
        assertRefused(records -> records.remove(1), 1);
        assertRefused(records -> records.remove(3), 3); // the first one of a key
        assertRefused(records -> records.add(2, records.get(1)), 2);
        assertRefused(records -> records.add(3, records.get(0)), 3);
        assertRefused(records -> records.add(1, records.remove(2)), 1);
    }

    @Test
    void shouldRefuseWhenTheRecordIsOfTheOtherDirection() {
        byte[] other = SECRET.clone();
        other[0]++;
        byte[] record = seal(new RecordSealer(other), "reflected");
        assertThrows(RecordException.class, () -> open(new RecordOpener(SECRET), record));
    }

    @Test
    void shouldTakeAnotherKeyWhenThereHaveBeenAsManyRecordsAsAllowed() throws RecordException {
        RecordSealer sealer = new RecordSealer(SECRET, 10);
        RecordOpener opener = new RecordOpener(SECRET, 10);
        int taken = 0;
        for (int i = 0; i < 95; i++) {
            byte[] record = seal(sealer, "same text");
            taken += record[3];
            assertEquals("same text", open(opener, record));
        }
        assertEquals(9, taken);
    }

    @Test
    void shouldRefuseWhenTheSenderDoesNotTakeAnotherKey() throws RecordException {
        RecordSealer sealer = new RecordSealer(SECRET, 11);
        RecordOpener opener = new RecordOpener(SECRET, 10);
        for (int i = 0; i < 10; i++) {
            open(opener, seal(sealer, "text"));
        }
        byte[] more = seal(sealer, "text");
        RecordException refused = assertThrows(RecordException.class, () -> open(opener, more));
        assertTrue(refused.getMessage().contains("another key after 10"), refused.getMessage());
    }

    @Test
    void shouldNotRepeatItselfWhenTheContentIsTheSame() {
        RecordSealer sealer = new RecordSealer(SECRET, 1);
        assertNotEquals(HexFormat.of().formatHex(seal(sealer, "same"), 4, 8),
            HexFormat.of().formatHex(seal(sealer, "same"), 4, 8));
    }

    @Test
    void shouldRefuseWhenSomethingComesAfterTheLastRecord() throws RecordException {
        RecordSealer sealer = new RecordSealer(SECRET);
        RecordOpener opener = new RecordOpener(SECRET);
        out.clear();
        sealer.sealLast(out);
        assertEquals(0, opener.open(out.flip(), content));
        assertThrows(RecordException.class, () -> opener.open(ByteBuffer.wrap(new byte[4]), content));
        assertThrows(IllegalStateException.class, () -> sealer.seal(out));
    }

    @Test
    void shouldRefuseWhenTheSecretHasAnotherLength() {
        assertThrows(IllegalArgumentException.class, () -> new RecordSealer(new byte[16]));
    }
}

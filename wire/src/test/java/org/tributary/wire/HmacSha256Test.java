package org.tributary.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class HmacSha256Test {
    private static final HexFormat HEX = HexFormat.of();

    private static byte[] repeated(int value, int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    /** RFC 4231, test cases 1 and 6. */
    @ParameterizedTest
    @CsvSource({
        "0b, 20, Hi There, b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
        "aa, 131, Test Using Larger Than Block-Size Key - Hash Key First,"
            + " 60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"})
    void shouldBeTheCodeOfTheStandardWhenItGivesOne(String key, int length, String message, String code) {
        assertEquals(code, HEX.formatHex(HmacSha256.of(repeated(HEX.parseHex(key)[0], length),
            message.getBytes(StandardCharsets.US_ASCII))));
    }

    /** RFC 4231, test case 2. */
    @Test
    void shouldBeTheCodeOfTheStandardWhenTheKeyIsAWord() {
        assertEquals("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            HEX.formatHex(HmacSha256.of("Jefe".getBytes(StandardCharsets.US_ASCII),
                "what do ya want ".getBytes(StandardCharsets.US_ASCII),
                "for nothing?".getBytes(StandardCharsets.US_ASCII))));
    }

    @Test
    void shouldBeTheCodeOfTheJdkWhateverTheLengths() throws Exception {
        Random random = new Random(1);
        for (int i = 0; i < 500; i++) {
            byte[] key = new byte[1 + random.nextInt(150)];
            byte[] message = new byte[random.nextInt(300)];
            random.nextBytes(key);
            random.nextBytes(message);
            int cut = random.nextInt(message.length + 1);
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            assertArrayEquals(mac.doFinal(message), HmacSha256.of(key, Arrays.copyOf(message, cut),
                Arrays.copyOfRange(message, cut, message.length)));
        }
    }
}

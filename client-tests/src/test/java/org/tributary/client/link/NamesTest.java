package org.tributary.client.link;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Names of which a caller cannot wait long for the addresses. */
class NamesTest {
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(200);
    private static final InetAddress[] FOUND = {InetAddress.getLoopbackAddress()};

    private final AtomicInteger asked = new AtomicInteger();

    @Test
    void shouldKeepWhatComesTooLateWhenTheNameServiceIsSlow() {
        CountDownLatch slow = new CountDownLatch(1);
        Names names = new Names(host -> {
            asked.incrementAndGet();
            try {
                slow.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return FOUND;
        });
        assertNull(names.addressesOf("host", 1_000_000));
        assertNull(names.addressesOf("host", 1_000_000));
        slow.countDown();
        assertArrayEquals(FOUND, names.addressesOf("host", LONG_NS));
        assertArrayEquals(FOUND, names.addressesOf("host", 0));
        assertEquals(1, asked.get());
    }

    @Test
    void shouldAskAgainWhenTheNameWasUnknown() {
        Names names = new Names(host -> {
            if (asked.incrementAndGet() == 1) {
                throw new UnknownHostException(host);
            }
            return FOUND;
        });
        assertNull(names.addressesOf("host", LONG_NS));
        assertArrayEquals(FOUND, names.addressesOf("host", LONG_NS));
    }

    @Test
    void shouldAskNobodyWhenTheAddressIsNoName() throws UnknownHostException {
        Names names = new Names(host -> {
            asked.incrementAndGet();
            return FOUND;
        });
        for (String address : new String[] {"127.0.0.2", "::1"}) {
            assertArrayEquals(new InetAddress[] {InetAddress.getByName(address)}, names.addressesOf(address, 0));
        }
        assertEquals(0, asked.get());
    }
}

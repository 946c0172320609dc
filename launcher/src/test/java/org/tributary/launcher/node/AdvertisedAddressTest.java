package org.tributary.launcher.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class AdvertisedAddressTest {
    @Test
    void shouldWriteBracketsWhenIpv6() throws Exception {
        assertEquals("[0:0:0:0:0:0:0:1]:80", AdvertisedAddress.of(new InetSocketAddress("::1", 80)));
        assertEquals("127.0.0.1:80", AdvertisedAddress.of(new InetSocketAddress("127.0.0.1", 80)));
    }

    @Test
    void shouldNameAnAddressToConnectToWhenListeningOnAll() throws Exception {
        assertFalse(AdvertisedAddress.of(new InetSocketAddress("0.0.0.0", 80)).startsWith("0.0.0.0"));
    }
}

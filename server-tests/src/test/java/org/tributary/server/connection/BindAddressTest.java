package org.tributary.server.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.tributary.config.ConfigException;
import org.tributary.config.Settings;

class BindAddressTest {
    @Test
    void shouldBeThatOfTheInterfaceWhenOneIsSet() throws IOException {
        assertEquals("127.0.0.1", BindAddress.of(Settings.builder().set("server.interface=lo").build()));
        assertEquals("0.0.0.0", BindAddress.of(Settings.defaults()));
        assertEquals("::1", BindAddress.of(Settings.builder().set("server.bind-address=::1").build()));
    }

    @Test
    void shouldNameInterfacesWhenThereIsNoneOfThatName() {
        Settings settings = Settings.builder().set("server.interface=nine").build();
        IOException e = assertThrows(IOException.class, () -> BindAddress.of(settings));
        assertTrue(e.getMessage().contains("nine") && e.getMessage().contains("lo"), e.getMessage());
    }

    @Test
    void shouldRefuseWhenAddressAndInterfaceAreBothSet() {
        Settings.Builder both = Settings.builder().set("server.interface=lo").set("server.bind-address=127.0.0.1");
        ConfigException e = assertThrows(ConfigException.class, both::build);
        assertTrue(e.getMessage().contains("are both set"), e.getMessage());
    }
}

package org.tributary.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class OptionsHeaderTest {
    @Test
    void shouldDefineEveryOptionOnceWhenTheClientInCIsBuilt() {
        List<String> macros = OptionsHeader.text().lines().filter(line -> line.contains("TRIB_OPTION_")).toList();
        assertEquals(Settings.variables().stream().map(name -> name.replace("TRIBUTARY_", "TRIB_OPTION_")).toList(),
            macros.stream().map(line -> line.split(" ")[1]).toList());
    }

    @Test
    void shouldTellKindDefaultsAndRangeWhenThereAreSome() {
        String text = OptionsHeader.text();
        for (String macro : List.of(
            "WAIT_SPIN \"wait.spin\", TRIB_VARIABLE_WAIT_SPIN, TRIB_DURATION, \"50us\", \"10s\", \"0\", \"1h\", {0}",
            "NETWORK_ENCRYPTION \"network.encryption\", TRIB_VARIABLE_NETWORK_ENCRYPTION,"
                + " TRIB_CHOICE | TRIB_SHARED, \"none\", \"none\", \"\", \"\","
                + " {\"none\", \"aes-gcm\", \"ktls\"}",
            "COOPERATION_RING_BYTES \"cooperation.ring-bytes\", TRIB_VARIABLE_COOPERATION_RING_BYTES, TRIB_SIZE",
            "SHM_DIRECTORY \"shm.directory\", TRIB_VARIABLE_SHM_DIRECTORY,"
                + " TRIB_PATH, \"/dev/shm\", \"/dev/shm\", \"\", \"\", {0}")) {
            assertTrue(text.contains("#define TRIB_OPTION_" + macro), macro);
        }
    }
}

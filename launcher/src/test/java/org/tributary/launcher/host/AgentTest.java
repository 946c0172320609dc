package org.tributary.launcher.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class AgentTest {
    @Test
    void shouldDoNothingWhenTheJobEndsBeforeItBegins() throws Exception {
        ByteArrayOutputStream orders = new ByteArrayOutputStream();
        Codec.encode(new Command.End(15, "another host cannot take part"), Frame.ALL)
            .write(new DataOutputStream(orders));
        assertEquals("tributary agent 1.2\n", saidAfter(orders.toByteArray()));
        assertEquals("tributary agent 1.2\n", saidAfter());
    }

    private static String saidAfter(byte... orders) throws Exception {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        assertEquals(0, Agent.run(new ByteArrayInputStream(orders), said, "1.2"));
        return said.toString(StandardCharsets.UTF_8);
    }
}

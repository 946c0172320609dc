package org.tributary.launcher.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AgentTest {
    @Test
    void shouldDoNothingWhenTheJobEndsBeforeItBegins() throws Exception {
        ByteArrayOutputStream orders = new ByteArrayOutputStream();
        Codec.encode(new Command.End(15, "another host cannot take part"), Frame.ALL)
            .write(new DataOutputStream(orders));
        assertEquals("tributary agent 1.2\n", saidAfter(orders.toByteArray()));
        assertEquals("tributary agent 1.2\n", saidAfter());
    }

    @Test
    void shouldObeyTheFirstOrderWhenItIsAskedBefore() throws Exception {
        ByteArrayOutputStream orders = new ByteArrayOutputStream();
        DataOutputStream to = new DataOutputStream(orders);
        Codec.encode(new Command.Inquire(1, Question.STATUS, ""), Frame.ALL).write(to);
        Codec.encode(new Command.Inquire(2, Question.STATUS, ""), Frame.ALL).write(to);
        Codec.encode(new Command.Examine(Map.of(), List.of("localhost")), 0).write(to);
        String said = saidAfter(orders.toByteArray());
        assertTrue(said.contains(ThisHost.get().name()), said);
    }

    private static String saidAfter(byte... orders) throws Exception {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        assertEquals(0, Agent.run(new ByteArrayInputStream(orders), said, "1.2"));
        return said.toString(StandardCharsets.UTF_8);
    }
}

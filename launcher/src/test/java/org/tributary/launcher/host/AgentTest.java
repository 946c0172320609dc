package org.tributary.launcher.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tributary.launcher.link.Answer;
import org.tributary.launcher.link.Codec;
import org.tributary.launcher.link.Command;
import org.tributary.launcher.link.Frame;
import org.tributary.launcher.link.Question;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AgentTest {
    @TempDir
    private Path shm;

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
        Codec.encode(new Command.Inquire("job", 1, Question.STATUS, ""), Frame.ALL).write(to);
        Codec.encode(new Command.Inquire("job", 2, Question.STATUS, ""), Frame.ALL).write(to);
        Codec.encode(new Command.Examine(Map.of(), List.of("localhost")), 0).write(to);
        String said = saidAfter(orders.toByteArray());
        assertTrue(said.contains(ThisHost.get().name()), said);
    }

    @Test
    void shouldTellOfAllJobsAndEndWhenOneLooksAndHangsUp() throws Exception {
        for (String name : List.of("tributary-one-0", "tributary-one-12", "tributary-other-1", "tributary-none")) {
            Files.createDirectory(shm.resolve(name));
        }
        ByteArrayOutputStream orders = new ByteArrayOutputStream();
        DataOutputStream to = new DataOutputStream(orders);
        Codec.encode(new Command.Look(Map.of("TRIBUTARY_SHM_DIRECTORY", shm.toString()), ""), 3).write(to);
        Codec.encode(new Command.Inquire("", 1, Question.JOBS, ""), 3).write(to);
        DataInputStream said = new DataInputStream(new ByteArrayInputStream(saidAfter(orders.toByteArray())
            .getBytes(StandardCharsets.ISO_8859_1)));
        assertEquals("tributary agent 1.2\n", new String(said.readNBytes(20), StandardCharsets.UTF_8));
        assertEquals(List.of(), Codec.texts(Frame.read(said)));
        assertEquals(new Answer(1, true, "one 0\none 12\nother 1"), Codec.answer(Frame.read(said)));
        assertNull(Frame.read(said));
    }

    private static String saidAfter(byte... orders) throws Exception {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        assertEquals(0, Agent.run(new ByteArrayInputStream(orders), said, "1.2"));
        return said.toString(StandardCharsets.ISO_8859_1);
    }
}

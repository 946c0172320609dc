package org.tributary.launcher.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.tributary.launcher.job.Event;
import org.tributary.launcher.link.AgentLinks;
import org.tributary.launcher.link.Answer;
import org.tributary.launcher.link.Codec;
import org.tributary.launcher.link.Command;
import org.tributary.launcher.link.Fan;
import org.tributary.launcher.link.Frame;
import org.tributary.launcher.link.LauncherWatch;
import org.tributary.launcher.link.Question;
import org.tributary.launcher.link.Summed;
import org.tributary.launcher.step.Asked;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AgentTest {
    private static final String STARTING = "its server is being started, or has ended";

    @TempDir
    private Path shm;

    @Test
    void shouldDoNothingWhenTheJobEndsBeforeItBegins() throws Exception {
        ByteArrayOutputStream orders = new ByteArrayOutputStream();
        Codec.encode(new Command.End(15, "another host cannot take part"), Frame.ALL)
            .write(new DataOutputStream(orders));
        assertEquals("\ntributary agent 1.2\n", saidAfter(orders.toByteArray()));
        assertEquals("\ntributary agent 1.2\n", saidAfter());
    }

    @Test
    void shouldObeyTheFirstOrderWhenItIsAskedBefore() throws Exception {
        ByteArrayOutputStream orders = new ByteArrayOutputStream();
        DataOutputStream to = new DataOutputStream(orders);
        Codec.encode(new Command.Inquire("job", 1, Question.STATUS, ""), Frame.ALL).write(to);
        Codec.encode(new Command.Inquire("job", 2, Question.STATUS, ""), Frame.ALL).write(to);
        Codec.encode(new Command.Examine(Map.of(), "", List.of("localhost")), 0).write(to);
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
        assertEquals("\ntributary agent 1.2\n", new String(said.readNBytes(21), StandardCharsets.UTF_8));
        assertEquals(List.of(), Codec.texts(Frame.read(said)));
        assertEquals(new Answer(1, true, "one 0\none 12\nother 1"), Codec.answer(Frame.read(said)));
        assertNull(Frame.read(said));
    }

    @Test
    void shouldEndAtOnceWhenAHostBehindItHasNotAnswered() throws Exception {
        Command.Begin begin = begin("65*1", List.of("/bin/sh", "-c", "exec sleep 1000"), "5min");
        Path all = shm.resolve("orders");
        try (DataOutputStream to = new DataOutputStream(Files.newOutputStream(all))) {
            Codec.encode(begin, 7).write(to);
            Codec.encode(new Command.End(15, "enough"), Frame.ALL).write(to);
        }
        PipedInputStream in = new PipedInputStream(1 << 20);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (PipedOutputStream to = new PipedOutputStream(in)) {
            to.write(Files.readAllBytes(all)); // and no end of it, of which it would end as well
            assertEquals(0, Agent.run(in, out, JobOnHosts.RELEASE));
        }
        DataInputStream said = new DataInputStream(new ByteArrayInputStream(out.toByteArray()));
        skipGreeting(said);
        List<Event> events = new ArrayList<>();
        for (Frame frame = Frame.read(said); !Codec.isOutputEnded(frame); frame = Frame.read(said)) {
            events.add(Codec.event(frame));
        }
        events.removeIf(Event.HostReady.class::isInstance);
        assertEquals(List.of(new Event.HostGone(8, 1, "b", "it had not answered when the job was ended"),
            new Event.NodeEnded(7)), events);
    }

    static Stream<Command> ofAgentsWithoutAJob() {
        Map<String, String> settings = Map.of("TRIBUTARY_CONNECTION_SILENCE_TIMEOUT", "5s");
        return Stream.of(new Command.Look(settings, ""), new Command.Examine(settings, "", List.of()),
            new Command.Collect("job", "/nowhere", "marker", "", TimeUnit.SECONDS.toNanos(5)));
    }

    /** Which the kernel of the launcher's host acknowledges, or not. */
    @ParameterizedTest
    @MethodSource("ofAgentsWithoutAJob")
    void shouldSendSomethingNowAndThenWhenSshHasStartedIt(Command first) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(AgentLinks.agentCommand());
        builder.environment().put(LauncherWatch.SSH_CONNECTION, "127.0.0.1 1 127.0.0.1 2");
        Process agent = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (DataOutputStream to = new DataOutputStream(agent.getOutputStream());
             DataInputStream said = new DataInputStream(new BufferedInputStream(agent.getInputStream()))) {
            skipGreeting(said);
            Codec.encode(first, 3).write(to);
            to.flush();
            byte beat = Codec.beat(Frame.ALL).kind();
            for (int beats = 0; beats < 2;) {
                beats += Frame.read(said).kind() == beat ? 1 : 0;
            }
        } finally {
            agent.toHandle().destroyForcibly();
        }
    }

    /** Of the nodes 7 and 8, on hosts a and b. */
    private Command.Begin begin(String layout, List<String> launch, String grace) {
        return new Command.Begin("large-" + ProcessHandle.current().pid(), new byte[32], layout,
            Map.of("TRIBUTARY_SHM_DIRECTORY", shm.toString(), "TRIBUTARY_JOB_GRACE", grace), List.of("/bin/false"),
            List.of("/bin/false"), Map.of(), true, "NONE", System.getenv(), shm.toString(), launch, List.of("a"),
            "host l (pid 1)", List.of("a", "b"), 7);
    }

    /** Two of the nodes of a large job; the agent of the second is a process that the first one starts. */
    @Test
    void shouldSpeakForThoseBehindItWhenAPageLooksAtALargeJob() throws Exception {
        Command.Begin begin = begin("65*1", List.of("/bin/sh", "-c", "shift; exec \"$@\"", "sh"), "1s");
        PipedInputStream in = new PipedInputStream();
        PipedInputStream said = new PipedInputStream(1 << 16);
        PipedOutputStream out = new PipedOutputStream(said);
        Thread agent;
        try (DataOutputStream to = new DataOutputStream(new PipedOutputStream(in))) {
            agent = Thread.ofPlatform().start(() -> {
                try {
                    Agent.run(in, out, JobOnHosts.RELEASE);
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            DataInputStream answers = new DataInputStream(said);
            Codec.encode(begin, 7).write(to);
            skipGreeting(answers);
            Set<Integer> ready = new HashSet<>();
            while (ready.size() < 2) {
                Frame frame = Frame.read(answers);
                if (Codec.event(frame) instanceof Event.HostReady host) {
                    ready.add(host.node());
                }
            }
            // On a busy machine a host may answer later than an agent waits: it is asked again then.
            Map<Integer, String> problems = Map.of(7, STARTING, 8, STARTING);
            Summed summed = null;
            int number = 3;
            while (summed == null || !summed.problems().equals(problems)) {
                Codec.encode(new Command.Inquire(begin.jobId(), number, Question.SNAPSHOT, Asked.first("page").text()),
                    Frame.ALL).write(to);
                summed = Codec.summed(Frame.read(answers));
                assertEquals(number++, summed.number());
                TimeUnit.MILLISECONDS.sleep(20);
            }
            assertEquals(new Summed(number - 1, new Fan.Range(7, 2), Optional.empty(), problems, 0), summed);
        }
        agent.join();
    }

    /** An empty line and one more. */
    private static void skipGreeting(DataInputStream said) throws IOException {
        for (int lines = 0; lines < 2;) {
            lines += said.read() == '\n' ? 1 : 0;
        }
    }

    private static String saidAfter(byte... orders) throws Exception {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        assertEquals(0, Agent.run(new ByteArrayInputStream(orders), said, "1.2"));
        return said.toString(StandardCharsets.ISO_8859_1);
    }
}

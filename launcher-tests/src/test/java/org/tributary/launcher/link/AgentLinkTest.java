package org.tributary.launcher.link;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tributary.launcher.job.LineSink;

/** A connection whose other end is a script. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AgentLinkTest {
    private static final Frame BEGIN = new Frame((byte) 10, 0, new byte[0]);

    private final BlockingQueue<String> ends = new ArrayBlockingQueue<>(8);

    @Test
    void shouldRememberWhatIsSaidInsteadOfAnAnswerWhenNoAgentComes() throws Exception {
        AgentLink link = link(() -> { });
        link.start("sh", List.of("/bin/sh", "-c", "printf '\\033[1mpress any key\\n'; exec sleep 1000"));
        while (link.said().isEmpty()) {
            LockSupport.parkNanos(5_000_000);
        }
        assertEquals("[1mpress any key", link.said());
        link.destroy();
    }

    private AgentLink link(Runnable onFrame) {
        return new AgentLink(new Fan.Range(0, 1), "a", "1.2", BEGIN, new AgentLink.Listener() {
            @Override
            public void frame(Fan.Range from, Frame frame) {
                onFrame.run();
            }

            @Override
            public void gone(Fan.Range range, String host, String why) {
                ends.add(why);
            }
        }, new LineSink(OutputStream.nullOutputStream()));
    }

    /** Other programs, and commands on the host that ssh has reached, say themselves what they lack. */
    @Test
    void shouldSayWhatSshNeedsWhenItDoesNotReachTheHost() throws Exception {
        assertEquals("no way (ssh exited with code 255); 'ssh a true' must work without a question",
            endOf("ssh", "echo no way; exit 255"));
        assertEquals("no tributary (ssh exited with code 127)", endOf("ssh", "echo no tributary; exit 127"));
        assertEquals("no way (kubectl exited with code 255)", endOf("kubectl", "echo no way; exit 255"));
        assertEquals("ssh exited with code 255", endOf("ssh", "echo 'tributary agent 1.2'; exit 255"));
    }

    private String endOf(String program, String script) throws InterruptedException {
        link(() -> { }).start(program, List.of("/bin/sh", "-c", script));
        return ends.take();
    }

    private String endAfter(Runnable onFrame) throws InterruptedException {
        AgentLink link = link(onFrame);
        link.start("sh", List.of("/bin/sh", "-c",
            "echo 'tributary agent 1.2'; printf '\\0\\0\\0\\0\\001\\0\\0\\0\\0'; exec sleep 1000"));
        String why = ends.take();
        link.destroy();
        return why;
    }

    @Test
    void shouldTellItsEndWithTheReasonWhenAFrameCannotBeTaken() throws Exception {
        assertEquals("no such thing", endAfter(() -> {
            throw new IllegalStateException("no such thing");
        }));
        assertEquals("very bad", endAfter(() -> {
            throw new AssertionError("very bad");
        }));
        assertEquals("Java heap space", endAfter(() -> {
            throw new OutOfMemoryError("Java heap space");
        }).replaceAll(";.*", ""));
    }
}

package org.tributary.launcher.job;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClosingTest {
    /** A signal in the queue says nothing of what has become of the output. */
    @ParameterizedTest
    @CsvSource({
        "WRITTEN, 0, ''",
        "MISSING, 1, ''",
        "DROPPED, 143, dropping output that has not been read: received SIGTERM",
        "HOSTS_GIVEN_UP, 143, giving up hosts whose agents have not ended: received SIGTERM",
    })
    void shouldSayWhatASignalHasDoneWhenOneHasCome(LastOutput last, int code, String said) throws Exception {
        JobNodes nodes = (JobNodes) Proxy.newProxyInstance(JobNodes.class.getClassLoader(),
            new Class<?>[] {JobNodes.class}, (proxy, method, arguments) ->
                method.getName().equals("close") ? last : null);
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Closing closing = new Closing(nodes,
            new LinkedBlockingQueue<>(List.of(new Event.SignalReceived(ExitCodes.SIGTERM))), new LineSink(err));
        assertEquals(code, closing.run(0, false));
        assertEquals(said.isEmpty() ? "" : "tributary: " + said + "\n", err.toString(StandardCharsets.UTF_8));
    }
}

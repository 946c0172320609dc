package org.tributary.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** A job of a test that the launcher starts on a few hosts by ssh, and those hosts. */
abstract class SshJob {
    static final String ROOM = "256m";

    final Place place = new Place();
    SshHosts hosts;

    @AfterEach
    void close() {
        if (hosts != null) {
            hosts.close();
        }
        place.close();
    }

    /** On host n0, from a directory that all hosts have. */
    final Running tributary(String... arguments) {
        List<String> all = new ArrayList<>(List.of("--launch-agent", hosts.ssh()));
        all.addAll(List.of(arguments));
        return on0(all, List.of());
    }

    final Running on0(List<String> arguments, List<String> before) {
        List<String> command = new ArrayList<>(before);
        command.addAll(Place.launcher());
        command.addAll(List.of("run", "--set", "shm.directory=/dev/shm"));
        command.addAll(arguments);
        return place.start(place.builder(hosts.on(0, command)).directory(new File("target").getAbsoluteFile()));
    }

    final List<String> processes(int host) {
        try {
            return hosts.processes(host);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    final void assertNothingLeft() throws Exception {
        for (int host = 0; host < hosts.count(); host++) {
            int number = host;
            place.await("processes are left on n" + host, () -> processes(number).isEmpty());
            assertEquals(List.of(), hosts.left(host));
        }
    }
}

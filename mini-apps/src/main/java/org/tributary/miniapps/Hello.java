package org.tributary.miniapps;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.tributary.client.Gas;
import picocli.CommandLine.Command;

/** Every rank says where it is. */
@Command(name = "hello", description = "Every rank says where it is.")
public final class Hello extends MiniApp {
    public static void main(String[] arguments) {
        main(new Hello(), arguments);
    }

    @Override
    public boolean run(Gas gas, Report out) {
        new Report(System.out, true).line("Hello from rank %d of %d, on node %d of %d, host %s, pid %d", gas.rank(),
            gas.rankCount(), gas.node(), gas.nodeCount(), host(), ProcessHandle.current().pid());
        return true;
    }

    private static String host() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

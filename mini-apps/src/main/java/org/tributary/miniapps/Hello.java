package org.tributary.miniapps;

import org.tributary.client.Gas;
import org.tributary.config.HostFacts;
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
            gas.rankCount(), gas.node(), gas.nodeCount(), HostFacts.name(), ProcessHandle.current().pid());
        return true;
    }
}

package org.tributary.launcher.doctor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The machine's own name, where its servers can listen, and the address by which others reach them. */
final class NetworkCheck implements Check {
    @Override
    public List<Finding> look(Machine machine) {
        List<Finding> findings = new ArrayList<>();
        findings.add(name(machine, machine.text("/proc/sys/kernel/hostname")));
        List<String> portProblems = machine.ask().portProblems();
        Finding address = address(machine);
        if (!portProblems.contains(address.measured())) { // of an interface that there is not, both tell
            findings.add(address);
        }
        portProblems.forEach(problem -> findings.add(Finding.portUnusable(problem)));
        if (portProblems.isEmpty()) {
            findings.add(Finding.portFree(machine.settings().serverPort()));
        }
        return findings;
    }

    private static Finding address(Machine machine) {
        String subject = "address of servers";
        String others = "reachable from other nodes";
        try {
            return Finding.ok(subject, machine.ask().advertised(), others);
        } catch (IOException e) {
            return Finding.warning(subject, e.getMessage(), others, "jobs of this machine alone work; for others"
                + " bring an interface up, or set server.bind-address");
        }
    }

    private static Finding name(Machine machine, String host) {
        String subject = "name of this host";
        String limit = "an address that other hosts reach";
        String remedy = "a line with the address of an interface in /etc/hosts, or in DNS; on several hosts use"
            + " addresses in TRIBUTARY_SERVERS until then";
        if (host.isEmpty()) {
            return Finding.warning(subject, "none", limit, "hostname NAME");
        }
        List<String> addresses;
        try {
            addresses = machine.ask().addressesOf(host);
        } catch (IOException e) {
            return Finding.namesUnanswered(e.getMessage() + ", for " + host);
        }
        if (addresses.isEmpty()) {
            return Finding.warning(subject, host + " has no address", limit, remedy);
        }
        String measured = host + " is " + String.join(", ", addresses);
        if (addresses.stream().allMatch(address -> address.startsWith("127.") || address.equals("::1"))) {
            return Finding.warning(subject, measured, limit, remedy);
        }
        return machine.ask().ownAddresses().stream().anyMatch(addresses::contains)
            ? Finding.ok(subject, measured, limit)
            : Finding.warning(subject, measured + ", of none of its interfaces", limit, remedy);
    }
}

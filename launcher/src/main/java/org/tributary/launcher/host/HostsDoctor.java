package org.tributary.launcher.host;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.tributary.config.Settings;
import org.tributary.launcher.doctor.Finding;
import org.tributary.launcher.doctor.HostsDiagnosis;
import org.tributary.launcher.job.LineSink;
import org.tributary.launcher.job.WorkProgress;
import org.tributary.launcher.link.AgentLink;
import org.tributary.launcher.link.Command;
import org.tributary.launcher.link.Fan;
import org.tributary.launcher.link.LaunchCommand;
import org.tributary.launcher.link.LauncherWatch;

/**
 * Looks at several hosts before a job does: an agent on each says what it finds, then all try to reach each other. A
 * host that cannot be looked at is one finding. One thread for each host; each step has a limit.
 */
public final class HostsDoctor {
    /** Connections to hosts that are being made at a time. */
    private static final int MOST_AT_ONCE = 32;
    /** Up to so many hosts each tries all others, else those at distances that are powers of two. */
    private static final int MOST_IN_ALL_PAIRS = 16;
    private static final long STEP_NS = TimeUnit.SECONDS.toNanos(30);
    private static final long LOOK_MS = 100;

    private final List<Patient> patients;
    private final Settings settings;
    private final List<String> peers;
    private final LaunchCommand launch;
    private final String release;
    private final LineSink err;
    private final LongSupplier nanoTime;
    private final Map<Integer, List<Integer>> behind;

    private HostsDoctor(List<String> hosts, LaunchCommand launch, Settings settings, String release, LineSink err,
        LongSupplier nanoTime, Map<Integer, List<Integer>> behind) {
        this.patients = IntStream.range(0, hosts.size()).mapToObj(i -> new Patient(i, hosts.get(i))).toList();
        this.peers = hosts.stream().limit(AgentNodes.PEERS).map(Host::withoutUser).toList();
        this.launch = launch;
        this.settings = settings;
        this.release = release;
        this.err = err;
        this.nanoTime = nanoTime;
        this.behind = behind;
    }

    /**
     * Examines these hosts, and the ways between them.
     *
     * @param settings those of jobs; {@code attach.timeout} limits the way to each host
     * @param release  of this program, as {@code tributary --version} says it
     * @param err      gets what programs on hosts say otherwise, and how far this is when it takes long
     */
    public static HostsDiagnosis look(List<String> hosts, LaunchCommand launch, Settings settings, String release,
        LineSink err) throws InterruptedException {
        return look(hosts, launch, settings, release, err, System::nanoTime, Fan.behind(hosts.size()));
    }

    /** The same by another clock, where {@code behind} are the hosts that jobs start from others. */
    static HostsDiagnosis look(List<String> hosts, LaunchCommand launch, Settings settings, String release,
        LineSink err, LongSupplier nanoTime, Map<Integer, List<Integer>> behind) throws InterruptedException {
        return new HostsDoctor(hosts, launch, settings, release, err, nanoTime, behind).look();
    }

    private HostsDiagnosis look() throws InterruptedException {
        try {
            Semaphore slots = new Semaphore(MOST_AT_ONCE);
            forEach("looking at hosts", patient -> {
                slots.acquireUninterruptibly();
                try {
                    patient.examine(launch, new Command.Examine(settings.toEnvironment(),
                        LauncherWatch.ownConnection(), peers), release, settings.attachTimeoutNs(), err);
                } finally {
                    slots.release();
                }
            });
            forEach("comparing clocks of hosts", patient -> patient.compareClocks(STEP_NS));
            forEach("trying ways between hosts", patient -> patient.reach(others(patient), STEP_NS));
            Map<Integer, List<Patient>> launched = launched();
            if (!launched.isEmpty()) {
                forEach("starting agents from other hosts", patient -> patient.launch(launch,
                    launched.getOrDefault(patient.number(), List.of()), settings.attachTimeoutNs(), STEP_NS));
            }
        } finally {
            AgentLink.end(patients.stream().flatMap(Patient::link).toList());
        }
        nameTwins();
        Map<String, List<Finding>> findings = new LinkedHashMap<>();
        patients.forEach(patient -> findings.put(patient.host(), patient.findings()));
        return new HostsDiagnosis(release, findings);
    }

    private void forEach(String what, Consumer<Patient> step) throws InterruptedException {
        WorkProgress progress = new WorkProgress(err, nanoTime.getAsLong());
        CountDownLatch left = new CountDownLatch(patients.size());
        for (Patient patient : patients) {
            Thread.ofVirtual().start(() -> {
                try {
                    step.accept(patient);
                } finally {
                    left.countDown();
                }
            });
        }
        while (!left.await(LOOK_MS, TimeUnit.MILLISECONDS)) {
            long done = patients.size() - left.getCount();
            progress.at(nanoTime.getAsLong(), what + ": " + done + " of " + patients.size(), done, patients.size());
        }
        progress.over();
    }

    private List<Patient> others(Patient one) {
        List<Patient> others = new ArrayList<>();
        for (int distance = 1; distance < patients.size();
             distance = patients.size() <= MOST_IN_ALL_PAIRS ? distance + 1 : 2 * distance) {
            others.add(patients.get((one.number() + distance) % patients.size()));
        }
        return others.stream().filter(Patient::listens).toList();
    }

    /** Those that jobs start from others and that have been reached from here, as their launcher may have to. */
    private Map<Integer, List<Patient>> launched() {
        Map<Integer, List<Patient>> launched = new HashMap<>();
        behind.forEach((from, others) -> launched.put(from, others.stream().map(patients::get)
            .filter(patient -> !patient.isLost()).toList()));
        return launched;
    }

    /** Two names of hosts that call themselves the same cannot be told apart. */
    private void nameTwins() {
        Map<String, String> byName = new LinkedHashMap<>();
        for (Patient patient : patients) {
            String first = patient.name().isEmpty() ? null : byName.putIfAbsent(patient.name(), patient.host());
            if (first != null) {
                patient.add(Finding.error("host name", patient.name() + ", as that of " + first, "one of its own",
                    "name each machine once, and give each a host name of its own"));
            }
        }
    }
}

package org.tributary.benchmarks.idle;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.tributary.benchmarks.measure.CpuTime;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.wire.shm.ControlFile;
import org.tributary.wire.shm.NodeDirectory;

/** The processes of a job on one node, by name, as the node's control file and this process's parent tell. */
final class NodeProcesses {
    private final Map<String, Long> pids;

    private NodeProcesses(Map<String, Long> pids) {
        this.pids = pids;
    }

    /** Those of the calling rank's node; every rank of it has attached. */
    static NodeProcesses find(JobEnvironment job, Settings settings) throws IOException {
        Map<String, Long> pids = new LinkedHashMap<>();
        try (Arena arena = Arena.ofConfined()) {
            ControlFile control = ControlFile.open(
                NodeDirectory.of(settings.shmDirectory(), job.jobId(), job.node()).control(), arena);
            pids.put("server " + job.node(), control.serverPid());
            for (int i = 0; i < job.topology().rankCount(job.node()); i++) {
                pids.put("rank " + job.topology().rankAt(job.node(), i), control.rankPid(i));
            }
        }
        if (job.supervised() && job.rank() == 0) {
            ProcessHandle.current().parent().ifPresent(launcher -> pids.put("launcher", launcher.pid()));
        }
        return new NodeProcesses(pids);
    }

    /** Processor time, by name, before something: these looks themselves come before it. */
    Map<String, CpuTime> before() throws IOException {
        return cpuTimes(Comparator.comparing(NodeProcesses::isSelf));
    }

    /** The same after it: these looks come after it. */
    Map<String, CpuTime> after() throws IOException {
        return cpuTimes(Comparator.comparing(NodeProcesses::isSelf).reversed());
    }

    private Map<String, CpuTime> cpuTimes(Comparator<Long> order) throws IOException {
        Map<String, CpuTime> looks = new HashMap<>();
        for (Map.Entry<String, Long> process : pids.entrySet().stream().sorted(Map.Entry.comparingByValue(order))
            .toList()) {
            looks.put(process.getKey(), CpuTime.ofProcess(process.getValue()));
        }
        Map<String, CpuTime> times = new LinkedHashMap<>();
        pids.keySet().forEach(name -> times.put(name, looks.get(name)));
        return times;
    }

    private static boolean isSelf(long pid) {
        return pid == ProcessHandle.current().pid();
    }
}

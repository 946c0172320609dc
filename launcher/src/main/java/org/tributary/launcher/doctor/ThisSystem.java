package org.tributary.launcher.doctor;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.tributary.config.Settings;
import org.tributary.launcher.job.JobFiles;
import org.tributary.launcher.node.LoopsHere;
import org.tributary.launcher.node.NameLookup;
import org.tributary.launcher.node.OwnAddress;
import org.tributary.launcher.node.ServerPorts;
import org.tributary.wire.record.KernelTls;
import org.tributary.wire.shm.NodeDirectory;

/** The system that this process runs on. */
public record ThisSystem(Settings settings) implements Machine.Answers {
    private static final Pattern LOADABLE = Pattern.compile("\\s*(?<name>\\S+) \\((?<kind>[^)]*)\\) => (?<file>.+)");

    @Override
    public Runtime.Version java() {
        return Runtime.version();
    }

    @Override
    public int processors() {
        return Runtime.getRuntime().availableProcessors();
    }

    @Override
    public long freeBytes(Path directory) throws IOException {
        if (!Files.isWritable(directory)) {
            throw new IOException(Files.isDirectory(directory) ? "this user may not write there" : "no such directory");
        }
        return Files.getFileStore(directory).getUsableSpace();
    }

    @Override
    public Path temporaryDirectory() {
        return Path.of(System.getProperty("java.io.tmpdir"));
    }

    @Override
    public List<String> addressesOf(String host) throws IOException {
        NameLookup.Answer answer = new NameLookup().answers(List.of(host)).getFirst();
        if (!answer.isAnswered()) {
            throw new IOException(NameLookup.NO_ANSWER);
        }
        return answer.addresses().stream().map(InetAddress::getHostAddress).toList();
    }

    @Override
    public List<String> ownAddresses() {
        return OwnAddress.all();
    }

    @Override
    public String advertised() throws IOException {
        return OwnAddress.advertised(settings);
    }

    @Override
    public List<String> portProblems() {
        return ServerPorts.problems(settings);
    }

    @Override
    public String eventLoops() {
        return LoopsHere.describe(settings);
    }

    @Override
    public String eventLoopsProblem() {
        return LoopsHere.problem(settings);
    }

    @Override
    public String kernelTlsProblem() {
        return KernelTls.problem();
    }

    @Override
    public List<String> stale() {
        List<String> stale = new ArrayList<>(NodeDirectory.stale(settings.shmDirectory()));
        stale.addAll(JobFiles.stale());
        return stale;
    }

    /** The loader's cache (ldconfig(8)); nothing where there is none, as with musl. */
    @Override
    public Map<String, String> loadable() {
        Map<String, String> files = new HashMap<>();
        String kind = System.getProperty("os.arch").equals("aarch64") ? "AArch64" : "x86-64";
        try {
            Process ldconfig = new ProcessBuilder("/sbin/ldconfig", "-p").redirectError(Redirect.DISCARD).start();
            ldconfig.getOutputStream().close();
            try (BufferedReader lines = ldconfig.inputReader()) {
                lines.lines().map(LOADABLE::matcher).filter(line -> line.matches() && line.group("kind").contains(kind))
                    .forEach(line -> files.putIfAbsent(line.group("name"), line.group("file")));
            }
        } catch (IOException | UncheckedIOException e) {
            return Map.of();
        }
        return files;
    }

    @Override
    public List<String> libraryPath() {
        return List.of(System.getenv().getOrDefault("LD_LIBRARY_PATH", "").split(":"));
    }

    @Override
    public List<String> programPath() {
        return List.of(System.getenv().getOrDefault("PATH", "").split(":"));
    }
}

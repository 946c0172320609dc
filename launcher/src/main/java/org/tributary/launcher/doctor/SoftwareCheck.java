package org.tributary.launcher.doctor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.tributary.config.NetworkEncryption;
import org.tributary.config.Settings;
import org.tributary.launcher.doctor.Finding.Level;
import org.tributary.launcher.status.Debugger;

/** The JDK, libraries that some jobs need, debuggers, encryption by the kernel, and what dead jobs have left. */
final class SoftwareCheck implements Check {
    private static final int NEEDED = 25;
    private static final int NAMED = 3;
    private static final String MODPROBE = "modprobe tls, Linux 6.14 or newer, or network.encryption = aes-gcm";
    private static final List<Library> LIBRARIES = List.of(
        new Library("libcrypto (OpenSSL)", "encrypted jobs with ranks in C", "libssl3",
            settings -> settings.networkEncryption() == NetworkEncryption.AES_GCM ? Level.WARNING : Level.OK,
            "libcrypto.so.3", "libcrypto.so.1.1"),
        Library.optional("MPI", "Global Arrays programs", "libmpi.so", "libmpich.so", "libmpi.so.40",
            "libmpich.so.12"),
        Library.optional("libpmix", "mpirun of Open MPI, srun --mpi=pmix; srun --mpi=pmi2 needs no library",
            "libpmix.so.2"),
        new Library("libfabric", "network.fabric, tributary bench fabric", "libfabric1",
            settings -> switch (settings.networkFabric()) {
                case NONE -> Level.OK;
                case AUTO -> Level.WARNING;
                default -> Level.ERROR;
            }, "libfabric.so.1", "libfabric.so"));

    /**
     * One of several files.
     *
     * @param purpose     of the library
     * @param packageName of Debian, for those that miss it
     * @param missing     how bad it is for jobs with such settings that there is none
     */
    private record Library(String name, String purpose, String packageName, Function<Settings, Level> missing,
        String... files) {
        static Library optional(String name, String purpose, String... files) {
            return new Library(name, purpose, "", settings -> Level.OK, files);
        }
    }

    @Override
    public List<Finding> look(Machine machine) {
        List<Finding> findings = new ArrayList<>();
        Runtime.Version java = machine.ask().java();
        findings.add(java.feature() >= NEEDED ? Finding.ok("JDK", java.toString(), NEEDED + " or newer")
            : Finding.error("JDK", java.toString(), NEEDED + " or newer", "install JDK " + NEEDED + ", for example"
                + " Temurin (https://adoptium.net), or name it in TRIBUTARY_JAVA_HOME"));
        LIBRARIES.forEach(library -> findings.add(look(machine, library)));
        findings.add(debugger(machine));
        findings.add(kernelTls(machine));
        List<String> stale = machine.ask().stale();
        findings.add(stale.isEmpty() ? Finding.ok("left by dead jobs", "nothing", "nothing")
            : Finding.warning("left by dead jobs", stale.size() + " directories: " + String.join(", ",
                stale.subList(0, Math.min(NAMED, stale.size()))) + (stale.size() > NAMED ? ", …" : ""), "nothing",
                "tributary clean"));
        return findings;
    }

    private static Finding look(Machine machine, Library library) {
        String found = folders(machine).flatMap(folder -> Stream.of(library.files).map(file -> folder + "/" + file))
            .filter(machine::isLibrary).findFirst().orElse(null);
        if (found == null) {
            Map<String, String> loadable = machine.ask().loadable();
            found = Stream.of(library.files).map(loadable::get).filter(Objects::nonNull).findFirst().orElse(null);
        }
        String limit = "for " + library.purpose;
        if (found != null) {
            return Finding.ok(library.name, found, limit);
        }
        Level level = library.missing.apply(machine.settings());
        return new Finding(level, library.name, "not found", limit, level == Level.OK ? ""
            : "apt-get install " + library.packageName + ", or its folder in LD_LIBRARY_PATH");
    }

    private static Stream<String> folders(Machine machine) {
        Stream<String> usual = Stream.of("/lib", "/usr/lib", "/lib64", "/usr/lib64", "/usr/local/lib",
            "/usr/local/lib64", "/opt/slurm/lib");
        Stream<String> byArchitecture = machine.names("/usr/lib").stream().filter(name -> name.endsWith("-linux-gnu"))
            .map(name -> "/usr/lib/" + name);
        Stream<String> bundled = Stream.of("/usr/lib/slurm-wlm", "/usr/lib/x86_64-linux-gnu/pmix2/lib",
            "/usr/lib/aarch64-linux-gnu/pmix2/lib");
        return Stream.of(machine.ask().libraryPath().stream().filter(folder -> folder.startsWith("/")), usual,
            byArchitecture, bundled).flatMap(folders -> folders);
    }

    private static Finding debugger(Machine machine) {
        String limit = "for stacks of ranks in C, in tributary status --why";
        List<String> programs = Arrays.stream(Debugger.values()).map(Debugger::program).toList();
        return programs.stream().flatMap(program -> machine.ask().programPath().stream()
            .filter(folder -> folder.startsWith("/")).map(folder -> folder + "/" + program))
            .filter(machine::isProgram).findFirst().map(found -> Finding.ok("debugger", found, limit))
            .orElseGet(() -> Finding.warning("debugger", "neither " + String.join(" nor ", programs) + " on the PATH",
                limit, "apt-get install " + Debugger.packages()));
    }

    private static Finding kernelTls(Machine machine) {
        String problem = machine.ask().kernelTlsProblem();
        String limit = "for network.encryption = ktls";
        return problem == null ? Finding.ok("kTLS", "works", limit)
            : machine.settings().networkEncryption() == NetworkEncryption.KTLS
                ? Finding.error("kTLS", problem, limit, MODPROBE) : Finding.ok("kTLS", "not available", limit);
    }
}

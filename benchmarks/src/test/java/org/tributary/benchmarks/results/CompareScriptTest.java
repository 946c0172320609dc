package org.tributary.benchmarks.results;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Comparisons without the peers: programs that say what they would have measured stand in for them. */
class CompareScriptTest {
    private static final Path ARMCI = Path.of("..", "native", "armci", "bench", "compare.sh");
    private static final Path NWCHEM = Path.of("..", "native", "armci", "nwchem", "compare.sh");
    private static final Path SHARED = Path.of("src", "main", "sh");
    private static final Path MINI_APPS = Path.of("..", "mini-apps", "bench");

    @TempDir
    private Path directory;

    @Test
    void shouldWriteResultsWhenFileIsNamed() throws Exception {
        program("tributary", "echo 'tributary 1'; echo 'Java 25, Linux amd64'");
        program("mpicc.openmpi", "echo 'mpicc.openmpi: Open MPI 4.1.4 (Language: C)'");
        program("mpirun.openmpi", """
            case "$*" in
                *rows-ours*) printf 'node: get\\t10.0\\nnode: 256 KiB put\\t2000.4\\n' ;;
                *) printf 'node: get\\t87.5\\nnode: 256 KiB put\\t270123456.7\\n' ;;
            esac""");
        program("mpicc.mpich", "echo /none/libarmci-mpich.a");
        program("mpirun.mpich", """
            [ ! -e "$TMPDIR/first" ] || exit 1
            touch "$TMPDIR/first"
            printf 'node: get\\t1.0\\n'""");
        program("mpichversion", "echo 'MPICH Version:    \t4.0.2'");
        Files.createFile(directory.resolve("libarmci.a"));
        Path file = directory.resolve("libarmci.json");

        String output = run(ARMCI, "--json", file.toString(), "3", "node");

        Results results = ResultFiles.read(file);
        assertEquals("[[node: get, 87.5, null, 10, 8.75, null], "
            + "[node: 256 KiB put, 2.701E+8, null, 2000, 1.35E+5, null]]",
            results.tables().getFirst().rows().toString());
        String page = new Page(results).markdown();
        assertTrue(page.contains("| node: 256 KiB put | 270.1 ms | 2.000 us | 135,000 |\n"), page);
        assertTrue(output.contains("| node: get | 88 ns |  | 10 ns | 8.75, null |\n"), output);
        assertTrue(output.contains("the part node failed with ARMCI-MPI, mpich: its rows have no figures\n"), output);
        assertTrue(results.machine().endsWith(", Open MPI 4.1.4, MPICH 4.0.2, Java 25"), results.machine());
        assertEquals("TRIBUTARY_WAIT_PRESET=shared native/armci/bench/compare.sh 3 node", results.command());
    }

    @Test
    void shouldWriteResultsOfMdWhenFileIsNamed() throws Exception {
        program("tributary", """
            [ "$1" = run ] || { echo 'tributary 1'; echo 'Java 25, Linux amd64'; exit; }
            [ "$3" = 1 ] && echo '[0] 4.0 s, 250 steps/s' || echo '[0] 7.0 s, 143 steps/s'""");
        program("lmp", "echo 'Large-scale Atomic/Molecular Massively Parallel Simulator - 29 Sep 2021'");
        program("mpirun.openmpi", "echo 'Loop time of 9.0 on 1 procs'; echo 'Loop time of 2.0 on 1 procs'");
        Path file = directory.resolve("md.json");

        run(MINI_APPS.resolve("compare-md.sh"), "--json", file.toString(), "1", "1", "2");

        Results results = ResultFiles.read(file);
        assertEquals("[[lj, 1, 2, 4, 0.5, >= 1/3, true], [lj, 2, 2, 7, 0.2857, >= 1/3, false],"
            + " [charged, 1, 2, 4, 0.5, >= 1/3, true], [charged, 2, 2, 7, 0.2857, >= 1/3, false]]",
            results.tables().getFirst().rows().toString());
        assertTrue(results.machine().endsWith(", LAMMPS 29 Sep 2021, Java 25"), results.machine());
        assertTrue(results.command().endsWith("mini-apps/bench/compare-md.sh 1 1 2"), results.command());
    }

    @Test
    void shouldWriteResultsOfScfWhenFileIsNamed() throws Exception {
        program("tributary", """
            [ "$1" = run ] || { echo 'tributary 1'; echo 'Java 25, Linux amd64'; exit; }
            echo '[0] 2.5 s: 9 iterations'; echo '[0] energy -76.50000001 hartree'""");
        program("nwchem", "exit 1");
        program("dpkg-query", "[ \"$3\" = '${Version}' ] && printf '7.0.2-4'");
        program("mpirun.openmpi", "echo ' Total SCF energy = -76.50000000'; echo ' Task  times  cpu: 1.0s wall: 1.0s'");
        Path file = directory.resolve("scf.json");

        run(MINI_APPS.resolve("compare-scf.sh"), "--json", file.toString(), "1", "1");

        Results results = ResultFiles.read(file);
        assertEquals("[[benzene, 1, 1, 2.5, 0.4, >= 1/2, false, -1.0e-08],"
            + " [water-dimer, 1, 1, 2.5, 0.4, >= 1/2, false, -1.0e-08]]",
            results.tables().getFirst().rows().toString());
        assertTrue(results.machine().endsWith(", NWChem 7.0.2, Java 25"), results.machine());
        Process processors = new ProcessBuilder("env", "-u", "OMP_NUM_THREADS", "-u", "OMP_THREAD_LIMIT", "nproc")
            .start();
        // Also where the script asks for one thread of OpenMP.
        assertTrue(results.machine().startsWith(new String(processors.getInputStream().readAllBytes(),
            StandardCharsets.UTF_8).strip() + " processors ("), results.machine());
    }

    /** What a program prints has changed, so that its figures are not found. */
    @ParameterizedTest
    @CsvSource({"compare-md.sh, '[0] 4.0 seconds', md has printed no time",
        "compare-scf.sh, '[0] energy -76.5 hartree', scf has printed no time",
        "compare-scf.sh, '[0] 2.5 s: 9 iterations', scf has printed no energy"})
    void shouldFailWhenAProgramPrintsNoFigures(String script, String printed, String problem) throws Exception {
        program("tributary", "echo '" + printed + "'");
        program("lmp", "exit 1");
        program("nwchem", "exit 1");
        program("mpirun.openmpi", """
            echo 'Loop time of 2.0 on 1 procs'
            echo ' Total SCF energy = -76.50000000'; echo ' Task  times  cpu: 1.0s wall: 1.0s'""");
        Path file = Files.writeString(directory.resolve("old.json"), "older results");

        String output = run(2, "sh", MINI_APPS.resolve(script), "--json", file.toString(), "1", "1");

        assertTrue(output.contains(problem), output);
        assertEquals("older results", Files.readString(file));
    }

    /** In the first round of the second number of ranks only. */
    @Test
    void shouldFailWhenEnergiesDiffer() throws Exception {
        program("tributary", """
            [ "$3" = 2 ] && [ ! -e "$TMPDIR/second" ] && touch "$TMPDIR/second" && energy=-76.0 || energy=-76.50000001
            echo '[0] 2.5 s: 9 iterations'; echo "[0] energy $energy hartree\"""");
        program("nwchem", "exit 1");
        program("mpirun.openmpi", "echo ' Total SCF energy = -76.50000000'; echo ' Task  times  cpu: 1.0s wall: 1.0s'");
        Path file = directory.resolve("scf.json");

        String output = run(1, "sh", MINI_APPS.resolve("compare-scf.sh"), "--json", file.toString(), "2", "1", "2");

        String problem = "benzene: scf with 2 ranks has the energy -76.000000000, and another run -76.50000000";
        assertTrue(output.contains(problem), output);
        assertFalse(Files.exists(file));
    }

    @Test
    void shouldWriteResultsOfMatmulWhenFileIsNamed() throws Exception {
        program("tributary", """
            [ "$1" = run ] || { echo 'tributary 1'; echo 'Java 25, Linux amd64'; exit; }
            echo 'matmul: 1024 x 1024 double, 4 ranks on 2 nodes, 16 tiles of 256, multiplied by OpenBLAS 0.3.21'
            for i in 1 2 3 4 5; do echo "iteration $i: 9.0 s, 1 GFLOP/s"; done
            for i in 6 7 8 9 10; do echo "iteration $i: 0.$((i - 5)) s, 1 GFLOP/s"; done""");
        program("mpicc.openmpi", "exit 0");
        program("dpkg-query", "printf 3.2.1+ds-4");
        program("mpirun.openmpi", """
            [ "$1" = --version ] && { echo 'mpirun.openmpi (OpenRTE) 4.1.4'; exit; }
            case "$*" in
                *'--bind-to none '*'--host emulated1:2,emulated2:2 '*'--mca btl vader,tcp,self '*'-n 4 '*) ;;
                *) exit 1 ;;
            esac
            printf '0.06\\n0.02\\n0.9\\n0.02\\n0.07\\n'""");
        Path file = directory.resolve("matmul.json");

        String output = run(MINI_APPS.resolve("compare-matmul.sh"), "--json", file.toString(), "1", "2,2");

        Results results = ResultFiles.read(file);
        assertEquals("[[1024, 2,2, 60, 300, 0.2], [2048, 2,2, 60, 300, 0.2]]",
            results.tables().getFirst().rows().toString());
        assertTrue(output.contains("| 1024 | 2,2 | 0.0600 s | 0.3000 s | 0.20 |\n"), output);
        assertTrue(results.method().endsWith(" and multiplies them by OpenBLAS 0.3.21."), results.method());
        assertTrue(results.machine().endsWith(", ScaLAPACK 3.2.1+ds, OpenBLAS 3.2.1, Open MPI 4.1.4, Java 25"),
            results.machine());
    }

    @Test
    void shouldWriteResultsOfRandomAccessWhenFileIsNamed() throws Exception {
        program("tributary", """
            [ "$1" = run ] || { echo 'tributary 1'; echo 'Java 25, Linux amd64'; exit; }
            echo '0.123 s, 0.008000 GUPS'""");
        program("hpcc", "exit 1");
        program("dpkg-query", "printf 1.5.0-3");
        program("mpirun.openmpi", """
            [ "$1" = --version ] && { echo 'mpirun.openmpi (OpenRTE) 4.1.4'; exit; }
            case "$*" in *' emulated1:2,emulated2:2 '*) ;; *) exit 1 ;; esac
            grep -q '^2500 ' hpccinf.txt && grep -q '^4 .*Qs' hpccinf.txt || exit 1
            printf 'MPIRandomAccess_N=4194304\\nMPIRandomAccess_GUPs=2e-3\\n' >hpccoutf.txt""");
        Path file = directory.resolve("random-access.json");

        String output = run(MINI_APPS.resolve("compare-random-access.sh"), "--json", file.toString(), "2", "2,2");

        Results results = ResultFiles.read(file);
        assertEquals("[[2,2, 2, 8, 4]]", results.tables().getFirst().rows().toString());
        assertTrue(output.contains("| 2,2 | 2.000 MUPS | 8.000 MUPS | 4.00 |\n"), output);
        assertTrue(results.machine().endsWith(", HPCC 1.5.0, Open MPI 4.1.4, Java 25"), results.machine());
    }

    @Test
    void shouldWriteResultsOfNpbWhenFileIsNamed() throws Exception {
        program("tributary", """
            [ "$1" = run ] || { echo 'tributary 1'; echo 'Java 25, Linux amd64'; exit; }
            [ "$6" = lu ] && echo '3.0 s, 1000.0 Mop/s' || echo '0.5 s, 1000.0 Mop/s'
            echo "verification: class $8: passed"
            """);
        program("mpif90.openmpi", "echo 'GNU Fortran (Debian 12.2.0-14) 12.2.0'");
        program("make", "grep -q '^FLINKFLAGS = -O3 -march=native -fallow-argument-mismatch$' \"$2/config/make.def\"");
        program("mpirun.openmpi", """
            [ "$1" = --version ] && { echo 'mpirun.openmpi (OpenRTE) 4.1.4'; exit; }
            case "$*" in *' emulated1:2,emulated2:2 '*) ;; *) exit 1 ;; esac
            printf ' Time in seconds = %20s\n Verification    =   SUCCESSFUL\n Version         =  3.4.2\n' 2.00""");
        Path file = directory.resolve("npb.json");
        Path sources = directory.resolve("NPB3.4-MPI");
        for (String name : List.of("LU", "MG", "config")) {
            Files.createDirectories(sources.resolve(name));
        }

        String output = run(MINI_APPS.resolve("compare-npb.sh"), "--json", file.toString(), sources.toString(), "1",
            "2,2");

        Results results = ResultFiles.read(file);
        assertEquals("[[lu.A, 2,2, 2, 3, 0.6667, >= 1/1.3, false], [lu.W, 2,2, 2, 3, 0.6667, >= 1/1.3, false],"
            + " [mg.A, 2,2, 2, 0.5, 4, >= 1/1.3, true], [mg.B, 2,2, 2, 0.5, 4, >= 1/1.3, true]]",
            results.tables().getFirst().rows().toString());
        assertTrue(output.contains("| lu.W | 2,2 | 2.000 s | 3.000 s | 0.67 |\n"), output);
        assertTrue(results.machine().endsWith(", NPB 3.4.2, GNU Fortran 12.2.0, Open MPI 4.1.4, Java 25"),
            results.machine());
    }

    /** The case of one has the energies of the reference; that of two fails with ARMCI-MPI between nodes. */
    @Test
    void shouldWriteResultsOfNwchemWhenFileIsNamed() throws Exception {
        program("tributary", "echo 'tributary 1'; echo 'Java 25, Linux amd64'");
        program("dpkg-query", "printf 5.8.2-1");
        program("mpirun.openmpi", """
            [ "$1" = --version ] && { echo 'mpirun.openmpi (OpenRTE) 4.1.4'; exit; }
            case "$*" in
                *emulated*armci-mpi*two.nw) exit 1 ;;
                *armci-mpi*) sed 's/wall: *2/wall: 3/' "${*##*-armci-mpi }" ;;
                *emulated4*) [ -f guess.movecs ] && sed 's/1.25/1.25004/' "${*##*-tributary }" ;;
                *emulated2*) [ -f guess.movecs ] && sed 's/1.25/1.25002/' "${*##*-tributary }" ;;
                *) [ -f guess.movecs ] && sed 's/1.25/1.25001/' "${*##*-tributary }" ;;
            esac""");
        Path folder = nwchem("one", "two");
        Path file = directory.resolve("nwchem.json");

        String output = run(0, "bash", NWCHEM, "--json", file.toString(),
            folder.toString(), "1", "one", "two");

        List<String> rows = new ArrayList<>();
        for (List<?> row : ResultFiles.read(file).tables().getFirst().rows()) {
            rows.add(row.get(0) + " " + row.get(1) + " " + row.subList(7, 11));
        }
        assertEquals(List.of("one 1 [1.5, same, same, 1.0e-05]", "one 2 [1.5, same, same, 2.0e-05]",
            "one 4 [1.5, same, same, 4.0e-05]", "two 1 [1.5, same, same, 1.0e-05]",
            "two 2 [null, none, same, null]", "two 4 [null, none, same, null]"), rows);
        assertTrue(output.contains("two failed over armci-mpi, nodes: 2"), output);
    }

    @Test
    void shouldFailWhenNwchemGivesAnotherAnswerThanBoth() throws Exception {
        program("tributary", "echo 'tributary 1'");
        program("mpirun.openmpi", """
            case "$*" in
                *armci-mpi*) sed 's/1.25/1.27/' "${*##*-armci-mpi }" ;;
                */two.nw) sed "s/1.25/1.27/" "${*##*-tributary }" ;;
                *) sed "s/1.25/1.26/" "${*##*-tributary }" ;;
            esac""");
        Path folder = nwchem("one", "two");

        String output = run(1, "bash", NWCHEM, folder.toString(), "1", "one", "two");

        assertTrue(output.contains("one, nodes: 1: neither the answer of the reference nor of ARMCI-MPI\n"), output);
        assertTrue(output.contains("| two | 1 |") && output.contains("other, as-armci-mpi"), output);
        assertFalse(output.contains("two, nodes:"), output);
    }

    @ParameterizedTest
    @CsvSource({"compare-matmul.sh, x", "compare-random-access.sh, 0", "compare-md.sh, 1.5", "compare-scf.sh, -1",
        "compare-md.sh, 1 1 x", "compare-scf.sh, '1 2,2'", "compare-matmul.sh, 1 2:2", "compare-npb.sh, . x",
        "compare-npb.sh, '. 1 2,,2'", "compare-npb.sh, /none"})
    void shouldRefuseWhatIsNoNumberOfRoundsAndNoLayout(String script, String words) throws Exception {
        for (String name : List.of("mpicc.openmpi", "mpif90.openmpi", "hpcc", "lmp", "nwchem", "tributary")) {
            program(name, "exit 3");
        }
        for (String name : List.of("LU", "MG")) {
            Files.createDirectories(directory.resolve(name));
        }
        Path file = Files.writeString(directory.resolve("old.json"), "older results");
        List<String> arguments = new ArrayList<>(List.of("--json", file.toString()));
        arguments.addAll(List.of(words.replace(". ", directory + " ").split(" ")));

        String output = run(2, "sh", MINI_APPS.resolve(script), arguments.toArray(String[]::new));

        assertEquals(1, output.lines().count(), output);
        assertEquals("older results", Files.readString(file));
    }

    /** The words of its command are joined and read by a shell, as ssh does. */
    @Test
    void shouldRunACommandOnAHostOfItsOwn() throws Exception {
        program("hostname", "echo \"name: $1\"");
        program("mount", "echo \"mount: $*\"");

        String output = run(0, "sh", SHARED.resolve("emulated-host.sh"), "-x", "emulated2", "A='1 2'; export A;", "env",
            "|", "grep", "^A=");

        assertEquals("name: emulated2\nmount: -t tmpfs -o mode=1777 shm /dev/shm\nA=1 2\n", output);
    }

    /** What build.sh would have made, and tests of NWChem. */
    private Path nwchem(String... names) throws IOException {
        Path folder = directory.resolve("folder with a space");
        Path tests = folder.resolve("nwchem-7.0.2/QA/tests");
        Files.createDirectories(folder.resolve("bin"));
        program("folder with a space/bin/nwchem-armci-mpi", "exit 1");
        program("folder with a space/bin/nwchem-tributary", "exit 1");
        Files.createDirectories(tests);
        Files.writeString(tests.resolveSibling("nwparse.pl"), """
            open(IN, $ARGV[1]); open(OUT, ">$ARGV[1].nwparse");
            while (<IN>) { printf OUT "%.3f\n", $1 if /energy = *(-[0-9.]*)/; }""");
        for (String name : names) {
            Path test = Files.createDirectories(tests.resolve(name));
            String output = "     Total SCF energy =     -1.25\n Total times  cpu:  1.0s     wall:        2.0s\n";
            Files.writeString(test.resolve(name + ".out"), output);
            Files.writeString(test.resolve(name + ".nw"), output);
            Files.createFile(test.resolve("guess.movecs"));
        }
        return folder;
    }

    @ParameterizedTest
    @CsvSource({"'', usage", "--help, usage", "--jobs two folder, --jobs needs a number",
        "folder make, no step 'make'"})
    void shouldRefuseWhatIsNoBuildOfNwchem(String words, String why) throws Exception {
        String output = run(2, "bash", NWCHEM.resolveSibling("build.sh"), words.split(" "));

        assertTrue(output.startsWith(why), output);
    }

    private void program(String name, String body) throws IOException {
        Path file = Files.writeString(directory.resolve(name), "#!/bin/sh\n" + body + "\n");
        assertTrue(file.toFile().setExecutable(true), name);
    }

    private String run(Path script, String... words) throws IOException, InterruptedException {
        return run(0, "sh", script, words);
    }

    private String run(int expected, String shell, Path script, String... words)
        throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(shell, script.toString()));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command);
        Map<String, String> environment = builder.redirectErrorStream(true).environment();
        environment.keySet().removeIf(name -> name.startsWith("TRIBUTARY_"));
        environment.put("PATH", directory + ":" + environment.get("PATH"));
        environment.put("TRIBUTARY_HOME", directory.toString());
        environment.put("TRIBUTARY_ARMCI", directory.toString());
        environment.put("TRIBUTARY_SECRET", "not for the file");
        environment.put("TRIBUTARY_WAIT_PRESET", "shared");
        environment.put("TMPDIR", directory.toString());
        program("unshare", "[ \"$1 $2 $3\" = '--uts --ipc --mount' ] || exit 1; shift 3; exec \"$@\""); // needs root
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(expected, process.waitFor(), output);
        return output;
    }
}

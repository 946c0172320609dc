package org.tributary.launcher.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.Topology;
import org.tributary.wire.shm.ControlFile;
import org.tributary.wire.shm.LockedDirectory;
import org.tributary.wire.shm.NodeDirectory;
import picocli.CommandLine;

class TributaryCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "rum                              | nearest known is 'run'",
        "run --nods 2 x                   | nearest known is '--nodes'",
        "run --set wait.spni=1us x        | nearest known is 'wait.spin'",
        "run --nodes 0 -- true            | at least one node",
        "run --nodes two -- true          | 'two' is not an int",
        "run --layout 2*x -- true         | layout '2*x'",
        "run --layout 2 --nodes 2 -- true | leave out --nodes",
        "run --timeout soon -- true       | 'soon' is not a duration",
        "run --timeout 0 -- true          | cannot end after 0",
        "run --restarts -1 -- true        | --restarts: a job is started anew 0 times or more, not -1",
        "run --restarts twice -- true     | 'twice' is not an int",
        "run --trace /proc/trace -- true  | this machine cannot use the folder /proc/trace for traces (--trace)",
        "run --trace -- true              | --trace",
        "trace                            | Missing required parameter: 'DIR'",
        "trace /no/dir                    | no folder /no/dir: name that of 'tributary run --trace'",
        "trace /proc/self/fdinfo          | no traces in /proc/self/fdinfo",
        "run --output fancy -- true       | --output",
        "run --env NOVALUE -- true        | 'NOVALUE' is not of the form NAME=VALUE",
        "run --env TRIBUTARY_RANK=1 -- true | TRIBUTARY_RANK is set by the launcher",
        "run -- no-such-executable        | no such executable on the PATH",
        "run -- /no/such/executable       | cannot execute '/no/such/executable'",
        "run no.such.Main                 | no class no.such.Main on the class path",
        "run --class-path /no/dir Main    | /no/dir does not exist",
        "run matmlu                       | unknown program 'matmlu'",
        "run --nodes 2                    | no program given; 'tributary run' alone lists",
        "run --                           | no program given; 'tributary run' alone lists",
        "bench --nodes 2                  | no benchmark given; 'tributary bench' alone lists",
        "bench no-such-benchmark          | unknown benchmark 'no-such-benchmark'",
        "bench --nods 2 one-sided         | unknown option '--nods'; the nearest known is '--nodes'",
        "bench one-sided --ops wrong      | --ops",
        "bench one-sided --opps get       | unknown option '--opps'; the nearest known is '--ops'",
        "bench one-sided --nods 2         | unknown option '--nods'; the nearest known is '--nodes'",
        "bench idle --seconds soon        | 'soon' is not an int",
        "bench on-node surplus            | unexpected argument 'surplus'",
        "bench report --result x          | unknown option '--result'; the nearest known is '--results'",
        "bench report --nodes 2           | report starts no job: leave out --nodes",
        "bench report surplus             | unexpected argument 'surplus'",
        "bench report --results /no/dir   | no folder /no/dir: name that of the results with --results",
        "run jacobi --max-iteratons 5     | unknown option '--max-iteratons'; the nearest known is '--max-iterations'",
        "run matmul --size two            | 'two' is not an int",
        "run matmul --type single         | --type",
        "run random-access surplus        | unexpected argument 'surplus'",
        "run --layout 3 multigrid         | multigrid runs on 1, 2, 4, 8 and so on ranks, not on 3; 2 or 4 would fit",
        "run --layout 5 lu --class S      | 5 ranks are a grid of 5 x 1, and 4 would fit as 2 x 2",
        "run matmul --size 0              | --block between 1 and --size: size 0",
        "run halo --steps 0               | --steps must be positive, --warmup not negative: 0, 20",
        "run --layout 4 halo --cells 30000 | the serial model of 3600000000 cells would be too large",
        "run --layout 16 md --atoms 500   | less than the cut-off and the skin, 3.30; 8 ranks or 2048 atoms would fit",
        "run md --atoms 4001              | 4001 atoms do not fill a cube of lattice cells; 4000 or 5324 would",
        "run scf --basis 6-31             | there is [STO-3G, 6-31G, 6-31G*, 6-31G**]; the nearest known is '6-31G'",
        "run scf --charge 1               | water with charge 1 has 9 electrons, an odd number",
        "run multigrid --class x          | expected one of [S, W, A, B]",
        "run empty --fast                 | unknown option '--fast'",
        "run hello --nodes 2              | '--nodes' is an option of 'tributary run': write it before 'hello'",
        "run matmul --layout=2*2          | '--layout' is an option of 'tributary run': write it before 'matmul'",
        "run -n 4 hello                   | unknown option '-n'; the number of ranks is --ranks-per-node on each of",
        "run --np=2 hello                 | unknown option '--np'; the number of ranks is --ranks-per-node on each of",
        "run -np 2 hello                  | the number of ranks is --ranks-per-node on each of --nodes",
        "run --nodes 2 --set server.port=9100 --set server.metrics-port=9101 hello | server.port = 9100 and"
            + " server.metrics-port = 9101 meet when counted up for 2 nodes on this machine; leave room for 2 ports",
        "run --nodes 3 --set server.port=9102 --set server.metrics-port=9100 hello | meet when counted up for 3 nodes",
        "run --nodes 2 --set server.port=65535 hello | server.port = 65535 is beyond the last port, 65535, when",
        "bench one-sided --nodes 2 --set server.metrics-port=65535 | server.metrics-port = 65535 is beyond the last",
        "run --timeout 5 hello            | --timeout: '5' is not a duration",
        "status --jsn                     | unknown option '--jsn'; the nearest known is '--json'",
        "status no-such-job               | no job 'no-such-job' on this machine, in /dev/shm",
        "dashboard no-such-job            | no job 'no-such-job' on this machine, in /dev/shm",
        "status --hosts a,,b              | --hosts: a name is missing in 'a,,b'",
        "status --hosts a --hostfile b    | --hosts and --hostfile both name the hosts; leave out one",
        "status --hostfile /no/file       | cannot read the file of hosts /no/file: no such file or folder",
        "config --config /no/file         | cannot read the configuration file /no/file: no such file or folder",
        "run --trace /etc/passwd hello    | cannot use the folder /etc/passwd for traces (--trace): it is no folder",
        "run --trace /etc/passwd/a hello  | cannot use the folder /etc/passwd/a for traces (--trace): Not a dir",
        "status --hosts a --launch-agent false | tributary: host a: false exited with code 1",
        "dashboard --launch-agent rsh     | --launch-agent starts agents on hosts, and there are none",
        "dashboard --hosts a --launch-agent false | tributary: host a: false exited with code 1",
        "run --dashboard=two -- true      | 'two' is not an int",
        "run --dashboard=70000 -- true    | --dashboard: 70000 is no port",
        "run --dashboard --dashboard-address 192.0.2.1 -- true | correct --dashboard-address",
        "run --dashboard-address 0.0.0.0 -- true | --dashboard-address says where a page is served, and there is none",
        "run --jvm-option=-Xmx1g -- true  | --jvm-option is for programs in Java, and what follows -- is an executable",
        "run --class-path /tmp -- true    | --class-path is for programs in Java",
        "config --set nonsense            | 'nonsense' is not of the form key=value",
        "server --suppervised             | nearest known is '--supervised'",
    })
    void shouldExplainAndStartNothingWhenWrong(String commandLine, String message) {
        assertEquals(2, execute(commandLine.strip().split(" +")), err.toString());
        assertTrue(err.toString().contains(message.strip()), err.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "run", "bench", "server", "config", "clean", "doctor", "jvm-options", "completion"})
    void shouldExplainItselfWhenAskedForHelp(String command) {
        assertEquals(0, execute((command + " --help").strip().split(" ")));
        assertTrue(out.toString().contains("Usage: "), out.toString());
        assertEquals("", err.toString());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "run matmul --help     | Usage: tributary run matmul      | --size",
        "run empty --help      | Usage: tributary run empty       | measuring start-up",
        "run hello -h          | Usage: tributary run hello       | --help",
        "run                   | matmul                           | jacobi",
        "bench one-sided -h    | Usage: tributary bench one-sided | --ops",
        "bench one-sided -h    | Usage: tributary bench [BENCH    | --nodes",
        "bench --help          | Usage: tributary bench [BENCH    | --nodes",
        "bench report --help   | Usage: tributary bench report    | --results",
        "bench                 | one-sided                        | report",
    })
    void shouldExplainProgramWhenAskedForItsHelp(String commandLine, String usage, String option) {
        assertEquals(0, execute(commandLine.strip().split(" +")), err.toString());
        assertTrue(out.toString().contains(usage.strip()), out.toString());
        assertTrue(out.toString().contains(option.strip()), out.toString());
    }

    /** As picocli's generator of manual pages does, which knows nothing but the class. */
    @Test
    void shouldKnowAllCommandsWhenAskedForMoreThanOne() {
        Set<String> all = new CommandLine(TributaryCommand.class).getSubcommands().keySet();
        assertTrue(all.containsAll(Set.of("run", "bench", "server", "status", "doctor", "help")), all::toString);
        assertEquals(all, TributaryCommand.commandLine().getSubcommands().keySet());
        assertEquals(all, TributaryCommand.commandLine("help", "run").getSubcommands().keySet());
        assertEquals(Set.of("run"), TributaryCommand.commandLine("run", "help").getSubcommands().keySet());
    }

    @Test
    void shouldSaySeeHelpOfProgramWhenItsArgumentIsWrong() {
        assertEquals(2, execute("run", "hello", "--loud"));
        assertTrue(err.toString().lines().anyMatch("see 'tributary run hello --help'"::equals), err.toString());
        assertEquals(2, err.toString().lines().count(), err.toString());
    }

    /** A file of one word, of none, of three: each would be another command if its words stood there. */
    @ParameterizedTest
    @ValueSource(strings = {"", "true", "a b c"})
    void shouldHandOnAWordWithAnAtSignWhenAFileHasItsName(String words) throws Exception {
        String word = "@" + Files.writeString(directory.resolve("words"), words);
        assertEquals(2, execute("run", "hello", word));
        assertTrue(err.toString().contains(word), err.toString());
        err.getBuffer().setLength(0);
        assertEquals(2, execute("run", "--nodes", "1", "--", "/no/such/executable", word));
        assertTrue(err.toString().contains("cannot execute '/no/such/executable'"), err.toString());
    }

    /** An option of a benchmark with a name of one of {@code bench} would never reach it. */
    @Test
    void shouldHaveNoOptionOfAJobWhenItIsABenchmark() {
        Set<String> ofJobs = TributaryCommand.commandLine("bench", "x").getSubcommands().get("bench").getCommandSpec()
            .optionsMap().keySet();
        assertTrue(ofJobs.contains("--nodes"), ofJobs::toString);
        CommandLine.Model.CommandSpec starter = TributaryCommand.commandLine().getCommandSpec();
        Programs.load(Programs.BENCH).byName().forEach((name, program) -> {
            Set<String> own = new HashSet<>(ProgramArguments.command(program, starter).orElseThrow().getCommandSpec()
                .optionsMap().keySet());
            own.retainAll(ofJobs);
            own.removeAll(Set.of("-h", "--help"));
            assertEquals(Set.of(), own, name);
        });
    }

    @Test
    void shouldNameEveryProblemWhenSettingsAndGroupsAreWrong() {
        assertEquals(2, execute("run", "--nodes", "4", "--set", "cooperation.mode=combine", "--set",
            "cooperation.groups=0-1;2,9", "--set", "cooperation.window=11ms", "--set", "server.port=-1", "hello"));
        assertEquals(List.of("tributary: server.port: -1 is outside 0 to 65535 (set)",
            "tributary: cooperation.window: 11ms is outside 0 to 10ms (set)",
            "tributary: cooperation.groups = 0-1;2,9: '9' names an unknown node; nodes are 0 to 3",
            "tributary: cooperation.groups = 0-1;2,9: node 3 is in no group"), err.toString().lines().toList());
    }

    @Test
    void shouldDescribeEveryCommandInFullWhenListed() {
        assertEquals(0, execute("--help"));
        assertTrue(out.toString().lines().filter(line -> line.startsWith("  "))
            .noneMatch(line -> line.endsWith(":")), out.toString());
    }

    /** Two jobs have their first nodes here. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "status one | 0 | 'tributary status --hosts HOST,... one' shows the nodes on other hosts",
        "status --json --hosts x,y | 0 | {\"job\": \"other\", \"layout\": \"2*1\"",
        "status --hosts x onne | 2 | no job 'onne' on x, in DIR; the nearest known is 'one'",
        "dashboard --hosts x,y | 2 | there are 2 jobs: say which of one, other",
        "dashboard --hosts x tow | 2 | no job 'tow' on x, in DIR; the nearest known is 'one'",
    })
    void shouldTellOfJobsWithoutALauncherWhenTheyAreHereOrOnHosts(String words, int code, String message)
        throws Exception {
        try (Arena arena = Arena.ofShared(); LockedDirectory one = NodeDirectory.of(directory, "one", 0).create();
             LockedDirectory other = NodeDirectory.of(directory, "other", 0).create()) {
            for (LockedDirectory node : List.of(one, other)) {
                ControlFile.create(new NodeDirectory(node.path()).control(), arena, Topology.of(1, 1), 0, 1);
            }
            List<String> all = new ArrayList<>(List.of(words.split(" ")));
            all.addAll(1, List.of("--set", "shm.directory=" + directory));
            if (all.contains("--hosts")) {
                all.addAll(1, List.of("--launch-agent", "env HOST={host}"));
            }
            assertEquals(code, execute(all.toArray(String[]::new)), err::toString);
            String said = out.toString() + err;
            assertTrue(said.contains(message.replace("DIR", directory.toString())), said);
        }
    }

    @Test
    void shouldSayWhereSettingsComeFromWhenAsked() throws Exception {
        Path file = Files.writeString(directory.resolve("t.conf"), "job.grace = 5s\n");
        assertEquals(0, execute("config", "--config", file.toString(), "--set", "server.port=7", "--set",
            "server.bind-address=127.0.0.1")); // a slow network would be the reason for fewer loops
        assertTrue(out.toString().lines().anyMatch(line -> line.matches("job\\.grace += 5s +# file .*t\\.conf:1")),
            out.toString());
        assertTrue(out.toString().lines().anyMatch(line -> line.matches("server\\.port += 7 +# set")), out.toString());
        assertTrue(out.toString().lines().anyMatch(line -> line.matches("# event loops of a server on this machine"
            + " \\(server\\.threads\\): \\d: \\d+ cores, one loop for each 8.*")), out.toString());
    }

    @Test
    void shouldPrintEveryOptionWhenJsonIsAsked() {
        assertEquals(0, execute("config", "--json"));
        assertTrue(out.toString().contains("{\"key\": \"wait.preset\", \"value\": \"shared\", \"source\": \"default\""),
            out.toString());
    }

    @Test
    void shouldNameOptionsOfJavaWhenScriptAsks() {
        assertEquals(0, execute("jvm-options", "--no-class-path"));
        assertTrue(out.toString().contains("--enable-native-access=ALL-UNNAMED\n"), out.toString());
    }

    @Test
    void shouldNameTheArgumentFileWhenAShellWouldSplitAnOption() {
        assertEquals(0, execute("jvm-options", "--class-path", "my classes"));
        assertTrue(out.toString().endsWith(":my classes\n"), out.toString());
        assertTrue(err.toString().contains("--argument-file FILE"), err.toString());
        assertEquals(2, execute("jvm-options", "--class-path", "classes", "--no-class-path"));
    }

    @Test
    void shouldWriteOptionsThatJavaReadsWhenPathsHaveSpacesAndQuotes() throws Exception {
        Path file = directory.resolve("my options");
        assertEquals(0, execute("jvm-options", "--class-path", "my \"classes\\#", "--argument-file", file.toString()));
        assertEquals("", out.toString() + err);
        Process java = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin/java").toString(), "@" + file,
            "-XshowSettings:properties", "-version").redirectErrorStream(true).start();
        String said = new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, java.waitFor(), said);
        assertTrue(said.lines().anyMatch(line -> line.endsWith(" my \"classes\\#")), said);
        assertEquals(1, execute("jvm-options", "--argument-file", "/no/folder/file"));
        assertTrue(err.toString().startsWith("tributary: cannot write the file of options /no/"), err.toString());
    }

    @Test
    void shouldCompleteCommandsWhenShellAsks() {
        assertEquals(0, execute("completion"));
        assertTrue(out.toString().contains("--ranks-per-node"), "no option of run in the script");
    }

    private int execute(String... args) {
        return TributaryCommand.execute(new PrintWriter(out, true), new PrintWriter(err, true), args);
    }
}

package org.tributary.launcher.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.config.ConfigException;
import org.tributary.config.Topology;

class HostsTest {
    @TempDir
    private Path directory;

    private static List<Host> parse(String text) {
        return HostList.parse(text).orThrow();
    }

    private static List<Host> file(Path file) {
        return HostList.file(file).orThrow();
    }

    @Test
    void shouldReadNamesAndSlotsWhenListed() {
        assertEquals(List.of(new Host("a", 4), new Host("me@b.c", 0), new Host("::1", 2), new Host("fe80::1", 0)),
            parse("a:4,me@b.c, [::1]:2,fe80::1"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"a,a:2 | a is named twice", "a,,b | a name is missing in 'a,,b'",
        "a:x | 'x' is no number of ranks", "a:0 | '0' is no number of ranks", "-oProxyCommand=x | is no name of a host",
        "a;b | 'a;b' is no name of a host"})
    void shouldSayWhatIsWrongWhenListIsMalformed(String list, String problem) {
        ConfigException e = assertThrows(ConfigException.class, () -> parse(list));
        assertTrue(e.getMessage().startsWith("--hosts: ") && e.getMessage().contains(problem), e.getMessage());
    }

    @Test
    void shouldReadFilesWhenOfAnyLauncher() throws IOException {
        assertEquals(List.of(new Host("a", 4), new Host("b", 0), new Host("c", 3)), file(write("""
            # Open MPI's, MPICH's, and names alone
            a slots=4 max-slots=8

            b
            c:2   # two
            c
            """)));
    }

    /** Other words of Open MPI, and blanks around the sign. */
    @Test
    void shouldReadFilesWhenTheyHaveSynonymsAndBlanks() throws IOException {
        assertEquals(List.of(new Host("a", 4), new Host("b", 2), new Host("me@c", 3), new Host("me@d", 0),
            new Host("e", 1)), file(write("""
                a slots = 4 slots_max= 8
                b cpus =2\tslots-max=2
                c count=3 user_name = me
                d username=me user-name=me
                e maxprocs=2
                """)));
    }

    @Test
    void shouldSayARemedyThatIsReadAsTheSameHostWhenItHasAnAddressOfIpv6() {
        assertEquals("--hosts me@[fd77::1]:4", HostSource.OPTION.remedy("me@fd77::1", 4));
        assertEquals(List.of(new Host("me@fd77::1", 4)), parse("me@[fd77::1]:4"));
        assertEquals("'fd77::1 slots=2' in the file of hosts", HostSource.FILE.remedy("fd77::1", 2));
    }

    @Test
    void shouldHaveTheUserBeforeTheNameWhenTheFileNamesOne() throws IOException {
        assertEquals(List.of(new Host("me@a", 4), new Host("me@b", 2), new Host("you@c", 0)), file(write("""
            a user=me slots=4 max_slots=4
            b:2 user=me
            you@c
            """)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"a sluts=4 | hosts:1: 'sluts=4' is not known",
        "a ifname=ib0 | hosts:1: 'ifname=ib0' is not known; instead, --set server.interface=NAME is for all hosts",
        "a:2 binding=rr | hosts:1: 'binding=rr' is not known; instead, --bind core or --bind numa",
        "a slots=4 max-slots=2 | hosts:1: a has 4 slots, and at most 2",
        "a max-slots=x | hosts:1: 'x' is no number of ranks",
        "a slots = | hosts:1: '' is no number of ranks", "a = | hosts:1: 'a=' is no name of a host",
        "a user= | hosts:1: '@a' is no name of a host", "a user=-oX=y | hosts:1: '-oX=y@a' is no name of a host",
        "a:b | 'b' is no number of ranks", "# none | names none"})
    void shouldNameLineWhenFileIsMalformed(String line, String problem) throws IOException {
        Path file = write(line + "\n");
        ConfigException e = assertThrows(ConfigException.class, () -> file(file));
        assertTrue(e.getMessage().contains(problem), e.getMessage());
    }

    @Test
    void shouldNameEveryProblemOnceWhenAListOrFileHasSeveral() throws IOException {
        assertEquals(List.of("--hosts: a is named twice", "--hosts: 'x' is no number of ranks",
            "--hosts: 'b;c' is no name of a host", "--hosts: d is named twice"),
            assertThrows(ConfigException.class, () -> parse("a,a:2,d:x,a,b;c,d")).problems());
        Path file = write("a sluts=4 slots=y\nb\n# c\nd:x\n");
        assertEquals(List.of(file + ":1: 'sluts=4' is not known; a line is 'name slots=4' or 'name:4'",
            file + ":1: 'y' is no number of ranks",
            file + ":4: 'x' is no number of ranks"), assertThrows(ConfigException.class, () ->
            file(file)).problems());
    }

    /** So that each can be asked for problems of its own. */
    @Test
    void shouldHaveTheHostsThatAreNamedWhenTheRestMakesNoSense() throws IOException {
        assertEquals(List.of(new Host("a", 2), new Host("d", 0), new Host("e", 1)),
            HostList.parse("a:4,a:2,d:x,b;c,,e:1").hosts());
        assertEquals(List.of(new Host("me@a", 4), new Host("d", 0)),
            HostList.file(write("a sluts=4 user=me slots=4\nb;c slots=2\nd:x\n")).hosts());
    }

    @Test
    void shouldSayWhichFileWhenItDoesNotExist() {
        ConfigException e = assertThrows(ConfigException.class, () -> file(directory.resolve("none")));
        assertTrue(e.getMessage().contains(directory.resolve("none").toString()), e.getMessage());
    }

    @Test
    void shouldCountLinesWhenBatchSystemListsASlotALine() throws IOException {
        assertEquals(Optional.of(List.of(new Host("a", 2), new Host("b", 1))),
            Hosts.ofPbs(Map.of("PBS_NODEFILE", write("a\na\nb\n").toString())));
        assertEquals(Optional.empty(), Hosts.ofPbs(Map.of()));
    }

    /** The commonest file of all; a name that is there twice has two ranks and no more. */
    @Test
    void shouldHaveAsManyRanksAsTheUserSaysWhenTheFileHasNamesAlone() throws IOException {
        List<Host> hosts = file(write("a\nb\n"));
        assertEquals(fitted(1, 1), Hosts.layout(hosts, null, null, HostSource.FILE));
        assertEquals(fitted(4, 4), Hosts.layout(hosts, null, 4, HostSource.FILE));
        assertEquals(fitted(3, 2), Hosts.fit(Topology.of(3, 2), hosts, HostSource.FILE));
        assertEquals(List.of("host c may have 2 ranks, and 2*4 wants 4; allow more with 'c slots=4' in the file of"
            + " hosts"), Hosts.layout(file(write("a\nc\nc\n")), null, 4, HostSource.FILE).problems());
    }

    @Test
    void shouldAllowNoMoreThanTheBatchSystemWhenItsFileHasEachNameOnce() throws IOException {
        List<Host> hosts = Hosts.ofPbs(Map.of("PBS_NODEFILE", write("a\nb\n").toString())).orElseThrow();
        assertEquals(fitted(1, 1), Hosts.layout(hosts, null, null, HostSource.PBS));
        assertEquals("host a may have 1 rank, and 2*2 wants 2; allow more with --hosts a:2, or ask PBS for more with"
            + " mpiprocs=2", Hosts.layout(hosts, null, 2, HostSource.PBS).problems().getFirst());
    }

    @Test
    void shouldBeOutsideOfSlurmWhenThereIsNoAllocation() {
        assertEquals(Optional.empty(), Hosts.ofSlurm(Map.of("SLURM_CONF", "/etc/slurm.conf")));
    }

    /** Also where there is no scontrol. */
    @ParameterizedTest
    @ValueSource(strings = {"c", "a,c", "me@a", "localhost"})
    void shouldNotBeOfSlurmWhenTheAllocationLacksAHost(String hosts) {
        assertFalse(Hosts.areOfSlurm(parse(hosts), Map.of("SLURM_JOB_ID", "1", "SLURM_JOB_NODELIST", "a,b")));
    }

    @Test
    void shouldUseAllSlotsWhenNothingElseIsSaid() {
        assertEquals(fitted(4, 2, 1), Hosts.layout(parse("a:4,b:2,c"), null, null, HostSource.OPTION));
        assertEquals(fitted(4, 2), Hosts.layout(parse("a:4,b:2,c"), 2, null, HostSource.OPTION));
        assertEquals(fitted(2, 2, 2), Hosts.layout(parse("a:4,b:2,c:2"), null, 2, HostSource.OPTION));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void shouldRefuseWhenThereAreToBeNoNodes(int nodes) {
        ConfigException e = assertThrows(ConfigException.class, () -> Hosts.layout(parse("a"), nodes, null,
            HostSource.OPTION));
        assertEquals("a job needs at least one node, not " + nodes, e.getMessage());
    }

    private static Hosts.Fitted fitted(int... ranks) {
        return new Hosts.Fitted(Topology.of(ranks), List.of());
    }

    @Test
    void shouldNameEveryHostWhenLayoutDoesNotFit() {
        Hosts.Fitted few = Hosts.fit(Topology.of(5, 2, 2), parse("a:4,b:2,c:1"), HostSource.OPTION);
        assertEquals(List.of("host a may have 4 ranks, and 5,2*2 wants 5; allow more with --hosts a:5",
            "host c may have 1 rank, and 5,2*2 wants 2; allow more with --hosts c:2"), few.problems());
        assertEquals("host a may have 1 rank, and 2 wants 2; allow more with --hosts a:2, or ask Slurm for more with"
            + " --ntasks-per-node=2", Hosts.layout(parse("a:1"), 1, 2, HostSource.SLURM).problems().getFirst());
        assertEquals(Topology.of(5, 2, 2), few.topology());
    }

    /** Each can still be asked for problems of its own. */
    @Test
    void shouldHaveTheNodesThatThereAreHostsForWhenLayoutHasTooMany() {
        Hosts.Fitted few = Hosts.fit(Topology.of(4, 2, 1), parse("a:4,b:2"), HostSource.OPTION);
        assertEquals(List.of("4,2,1 has 3 nodes, and there are 2 hosts; name 1 more with --hosts, or use fewer nodes"),
            few.problems());
        assertEquals(Topology.of(4, 2), few.topology());
        assertEquals(new Hosts.Fitted(Topology.of(4), List.of("--nodes 3, and there is 1 host; ask Slurm for 2 more"
            + " with --nodes, or use fewer nodes")), Hosts.layout(parse("a:4"), 3, null, HostSource.SLURM));
    }

    @Test
    void shouldNameHostsThatAreTooSmallWhenLayoutHasTooManyNodesToo() {
        assertEquals(List.of("5,2,1 has 3 nodes, and there are 2 hosts; name 1 more in the file of hosts, or use fewer"
            + " nodes", "host a may have 4 ranks, and 5,2,1 wants 5; allow more with 'a slots=5' in the file of hosts"),
            Hosts.fit(Topology.of(5, 2, 1), parse("a:4,b:2"), HostSource.FILE).problems());
        Hosts.Fitted few = Hosts.layout(parse("a:1"), 2, 3, HostSource.PBS);
        assertEquals(List.of("--nodes 2, and there is 1 host; ask PBS for 1 more with select, or use fewer nodes",
            "host a may have 1 rank, and 3 wants 3; allow more with --hosts a:3, or ask PBS for more with mpiprocs=3"),
            few.problems());
        assertEquals(Topology.of(3), few.topology());
    }

    @Test
    void shouldSayWhetherAllHostsHaveNamesWhenAListHasMistakes() throws IOException {
        assertTrue(HostList.parse("a:1,b:x,a").hasAll());
        assertFalse(HostList.parse("a:1,,b").hasAll());
        assertFalse(HostList.parse("a:1,-b").hasAll());
        assertTrue(HostList.file(write("a slots=x\nb\n")).hasAll());
        assertFalse(HostList.file(write("a\n-b\n")).hasAll());
    }

    private Path write(String text) throws IOException {
        return Files.writeString(directory.resolve("hosts"), text);
    }
}

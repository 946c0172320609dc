package org.tributary.client.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tributary.config.Settings;

class NodesTest {
    private static Self on(String machine, int node, int nodes) {
        return new Self("1.0", machine + " boot 1:2", node, nodes, false, false, "");
    }

    private static List<Self> machines(String machines) {
        return Stream.of(machines.split(" ")).map(machine -> on(machine, -1, 0)).toList();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "a | 1", "a a | 2", "a b | 2*1", "a a b b | 2*2", "a a b | 2,1", "b b a c | 2,2*1",
        "a b a b | cyclic:2*2", "a a b a | cyclic(2):3,1",
    })
    void shouldGroupByMachineWhenNothingElseIsSaid(String machines, String layout) {
        Nodes nodes = Nodes.of(machines(machines));
        assertEquals(layout, nodes.layout());
        assertEquals(layout.matches("\\d"), nodes.areOfOneMachine());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"4 | 2 | 2*2", "5 | 3 | 2*2,1", "3 | 3 | 3*1", "7 | 2 | 4,3", "2 | 1 | 2"})
    void shouldDivideEvenlyWhenNumberOfNodesIsGiven(int ranks, int nodes, String layout) {
        assertEquals(layout, Nodes.of(IntStream.range(0, ranks).mapToObj(rank -> on("a", -1, nodes)).toList())
            .layout());
    }

    @Test
    void shouldNumberByLowestRankWhenNodesAreGiven() {
        assertEquals("2,1", Nodes.of(List.of(on("a", 7, 0), on("a", 7, 0), on("a", 3, 0))).layout());
    }

    @Test
    void shouldNameBothReleasesWhenTheyDiffer() {
        assertProblem(List.of(on("a", -1, 0), on("a", -1, 0), new Self("1.1", "b x 1:1", -1, 0, false, false, "")),
            "rank 2 on b has another release of Tributary (1.1) than rank 0 on a (1.0): install one on all hosts");
    }

    @Test
    void shouldRefuseWhenNodeWouldSpanMachines() {
        assertProblem(List.of(on("a", -1, 1), on("b", -1, 1)), "ranks 0 and 1 would be on one node, but run on a");
    }

    @Test
    void shouldRefuseWhenRanksDiffer() {
        assertProblem(List.of(on("a", -1, 1), on("a", -1, 2)), "is set for rank 1 otherwise than for rank 0");
        assertProblem(List.of(on("a", -1, 3), on("a", -1, 3)), "TRIBUTARY_NODES=3, but there are 2 ranks");
        assertProblem(List.of(on("a", -1, 0),
            new Self("1.0", "b x 1:1", -1, 0, false, false, "TRIBUTARY_NODE=-4 is wrong")),
            "rank 1 on b: TRIBUTARY_NODE=-4 is wrong");
        assertProblem(List.of(on("a", -1, 0), new Self("1.0", "a boot 1:2", -1, 0, false, true, "")),
            "TRIBUTARY_SECRET_FILE is set for rank 1 otherwise");
    }

    /** The launcher would carry it in the clear. */
    @Test
    void shouldNotSendSecretWhenMachinesEncrypt() {
        List<Self> two = new ArrayList<>(List.of(new Self("1.0", "a x 1:1", -1, 0, true, false, ""),
            new Self("1.0", "b x 1:1", -1, 0, true, false, "")));
        assertProblem(two, "TRIBUTARY_SECRET_FILE=FILE to all ranks");
        assertFalse(Nodes.of(List.of(new Self("1.0", "a x 1:1", -1, 0, true, true, ""),
            new Self("1.0", "b x 1:1", -1, 0, true, true, ""))).areOfOneMachine());
        assertEquals("2", Nodes.of(List.of(two.get(0), two.get(0))).layout());
    }

    private static void assertProblem(List<Self> all, String problem) {
        String message = assertThrows(IllegalArgumentException.class, () -> Nodes.of(all)).getMessage();
        assertTrue(message.contains(problem), message);
    }

    @Test
    void shouldSurviveTransportWhenTextHasAnyCharacters() throws Exception {
        Self self = new Self("1.0", "a;b % \n é", 3, 0, true, false, "x y");
        assertEquals(self, Self.decode(self.encode()));
        assertTrue(self.encode().matches("[!-~]+"), self.encode());
        assertThrows(IOException.class, () -> Self.decode("a;b"));
        assertThrows(IOException.class, () -> Fields.split("%4", 1));
        assertThrows(IOException.class, () -> Fields.split("%zz", 1));
        assertThrows(IOException.class, () -> Self.decode("a;x;0;0;0;"));
    }

    @Test
    void shouldTellWhatIsWrongWhenVariablesAre() {
        Settings settings = Settings.builder().build();
        assertEquals("TRIBUTARY_NODES=0 is not a number from 1 to 1000000",
            Self.of(Map.of("TRIBUTARY_NODES", "0"), settings, "").problem());
        assertEquals("TRIBUTARY_NODE='two' is not a number",
            Self.of(Map.of("TRIBUTARY_NODE", "two"), settings, "").problem());
        assertEquals("", Self.of(Map.of("TRIBUTARY_NODE", "2"), settings, "").problem());
        assertEquals("a setting", Self.of(Map.of("TRIBUTARY_NODE", "two"), settings, "a setting").problem());
    }

    @Test
    void shouldAgreeOnFailureWhenRanksCannotBeOneJob() throws Exception {
        String told = Plan.make(List.of(on("a", -1, 3).encode()));
        AgreedFailure e = assertThrows(AgreedFailure.class, () -> Plan.read(told, null));
        assertEquals("TRIBUTARY_NODES=3, but there are 1 ranks", e.getMessage());
        Plan plan = Plan.read(Plan.make(List.of(on("a", -1, 0).encode(), on("a", -1, 0).encode())), null);
        assertEquals(2, plan.topology().rankCount());
        assertEquals(32, plan.secret().length);
    }

    @Test
    void shouldNameVariableWhenNoCommandIsFound() throws Exception {
        String message = assertThrows(IOException.class, () -> ServerCommand.find(Map.of("PATH", "/nowhere"), null))
            .getMessage();
        assertTrue(message.contains("set TRIBUTARY_HOME to the folder that has it (PATH=/nowhere)"), message);
        message = assertThrows(IOException.class, () -> ServerCommand.find(Map.of("TRIBUTARY_HOME", "/nowhere"),
            Path.of("/some.jar"))).getMessage();
        assertTrue(message.contains("TRIBUTARY_HOME=/nowhere, but neither /nowhere/tributary nor /nowhere/bin/tributary"
            + " can be run"), message);
    }

    /** A folder may have the command's name, as that of a release has. */
    @Test
    void shouldTakeCommandOfReleaseWhenVariableNamesItsFolder(@TempDir Path release) throws Exception {
        Files.createDirectory(release.resolve("tributary"));
        Path command = Files.createFile(Files.createDirectory(release.resolve("bin")).resolve("tributary"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Map<String, String> environment = Map.of("TRIBUTARY_HOME", release.toString());
        assertEquals(List.of(command.toString(), "server", "--supervised"), ServerCommand.find(environment, null));
        Files.delete(release.resolve("tributary"));
        Path nearer = Files.copy(command, release.resolve("tributary"), StandardCopyOption.COPY_ATTRIBUTES);
        assertEquals(nearer.toString(), ServerCommand.find(environment, null).getFirst());
    }

    @Test
    void shouldTakeOwnDistributionWhenItsRanksHaveAFolderOfTheirOwn(@TempDir Path distribution) throws Exception {
        Path jar = Files.createFile(Files.createDirectories(distribution.resolve("lib/rank")).resolve("client.jar"));
        Path launcher = Files.createFile(distribution.resolve("lib/tributary-launcher.jar"));
        List<String> command = ServerCommand.find(Map.of("PATH", "/nowhere"), jar);
        assertEquals(List.of("-jar", launcher.toString(), "server", "--supervised"),
            command.subList(1, command.size()));
        Path code = Files.createDirectory(distribution.resolve("lib/native"));
        assertEquals("-Djava.library.path=" + code, ServerCommand.find(Map.of("PATH", "/nowhere"), jar).get(1));
    }
}

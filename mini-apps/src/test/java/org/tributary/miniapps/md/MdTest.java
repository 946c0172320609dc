package org.tributary.miniapps.md;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.Gas;
import org.tributary.client.testing.TestJob;
import org.tributary.config.ConfigException;
import org.tributary.config.Topology;
import org.tributary.miniapps.AfterResults;
import org.tributary.miniapps.JobShape;
import org.tributary.miniapps.Report;
import org.tributary.miniapps.SlowProgress;
import org.tributary.miniapps.exchange.Design;
import org.tributary.miniapps.exchange.ExchangeOptions;
import org.tributary.miniapps.exchange.Synchronization;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

@Timeout(300)
class MdTest {
    private static Md program(String arguments) {
        Md program = new Md();
        new CommandLine(program).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments.strip().split(" +"));
        return program;
    }

    private static ExchangeOptions options(Synchronization synchronization, Design design) {
        ExchangeOptions options = new ExchangeOptions(Synchronization.MAILBOX);
        new CommandLine(CommandLine.Model.CommandSpec.create().addMixin("exchange",
            CommandLine.Model.CommandSpec.forAnnotatedObject(options)))
            .setCaseInsensitiveEnumValuesAllowed(true)
            .parseArgs("--sync", synchronization.toString(), "--design", design.toString());
        return options;
    }

    private static Simulation simulation(Gas gas, Configuration start, Simulation.Parameters parameters) {
        return new Simulation(gas, options(Synchronization.MAILBOX, Design.AUTO), Brick.grid(gas.rankCount()), start,
            parameters);
    }

    /** From one rank, its own neighbour in all directions, to 16, whose bricks are little wider than the cut-off. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "1,1", "3", "cyclic:2*4", "map:3*0,1,2*0,2*1", "4*4"})
    void shouldFollowTheSerialTrajectoryOnAnyLayout(String layout) {
        Configuration start = Configuration.lattice(Matter.LJ, 7, 0.84, 4, 0, 5);
        Simulation.Parameters parameters = new Simulation.Parameters(0.004, 2.5, 0.3, 0);
        int steps = 60;
        SerialModel model = new SerialModel(start, 2.5, 0.004);
        model.run(steps);
        try (TestJob job = TestJob.start(Topology.parse(layout))) {
            job.run(gas -> {
                for (Synchronization synchronization : List.of(Synchronization.MAILBOX, Synchronization.GET)) {
                    try (Simulation simulation = new Simulation(gas, options(synchronization, Design.AUTO),
                        Brick.grid(gas.rankCount()), start, parameters)) {
                        for (int step = 0; step < steps; step++) {
                            simulation.step(false);
                        }
                        assertTrue(simulation.rebuilds() > 3, () -> "made " + simulation.rebuilds() + " times");
                        Frame frame = Frame.gather(gas, simulation.atoms(), start.atoms());
                        if (gas.rank() == 0) {
                            assertEquals(0, model.difference(frame), 1e-9);
                        }
                    }
                }
            });
        }
    }

    /** One job does all designs in turn, of both systems. */
    @ParameterizedTest
    @ValueSource(strings = {"2,2", "4"})
    void shouldKeepWhatHasToBeKeptInEveryDesign(String layout) {
        try (TestJob job = TestJob.start(Topology.parse(layout))) {
            job.run(gas -> {
                for (Synchronization synchronization : Synchronization.values()) {
                    for (Design design : synchronization.designs()) {
                        for (String system : List.of("--atoms 256 --steps 40",
                            "--system charged --atoms 216 --steps 10")) {
                            Md program = program(system + " --equilibration 10 --cutoff 2.5 --sync "
                                + synchronization + " --design " + design);
                            assertTrue(program.run(gas, new Report(System.out, false)), () -> system + " "
                                + synchronization + " " + design);
                        }
                    }
                }
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "2,2"})
    void shouldMeetTheReferenceCalculationOfNist(String layout) {
        try (TestJob job = TestJob.start(Topology.parse(layout))) {
            job.run(gas -> {
                Configuration start = NistConfiguration.start();
                try (Simulation simulation = simulation(gas, start,
                    new Simulation.Parameters(0.001, NistConfiguration.CUTOFF, 0.5, 0))) {
                    Sample sample = simulation.sample();
                    assertEquals(NistConfiguration.ENERGY, sample.lennardJones(), 5e-4);
                    assertEquals(NistConfiguration.VIRIAL, sample.virial(), 5e-4);
                    assertEquals(NistConfiguration.ENERGY + NistConfiguration.LONG_RANGE, sample.atoms()
                        * sample.energy(NistConfiguration.CUTOFF, start.volume()), 5e-4);
                }
            });
        }
    }

    @Test
    void shouldMeetTheTableOfNist() {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try (TestJob job = TestJob.start(Topology.parse("2"))) {
            job.run(gas -> {
                PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
                assertTrue(program("--atoms 500 --nist --equilibration 2000 --steps 5000")
                    .run(gas, new Report(out, gas.rank() == 0)), printed::toString);
            });
        }
        String text = printed.toString(StandardCharsets.UTF_8);
        assertTrue(text.contains("NIST's table, at this temperature: energy -5.9"), text);
    }

    /** Rock salt whose ions, if {@code moved}, have left their places, and one of them a little more, in a cube. */
    private static Configuration ions(boolean moved, double scale, int coordinate, double more) {
        Configuration lattice = Configuration.lattice(Matter.CHARGED, 3, 1, 0.85, 1, 1);
        double[] positions = new double[3 * lattice.atoms()];
        double[] charges = new double[lattice.atoms()];
        for (int i = 0; i < positions.length; i++) {
            positions[i] = scale * (lattice.position(i / 3, i % 3) + (moved ? 0.2 * Math.sin(i) : 0));
            charges[i / 3] = lattice.charge(i / 3);
        }
        positions[coordinate] += more;
        return new Configuration(scale * lattice.edge(), positions, new double[positions.length], charges);
    }

    private static Simulation charged(Gas gas, Configuration ions, double cutoff) {
        return simulation(gas, ions, new Simulation.Parameters(0.001, cutoff, 0.2, 5));
    }

    /** Without the jumps of pairs at the cut-off. */
    private static double potential(Gas gas, Configuration ions) {
        try (Simulation simulation = charged(gas, ions, 2)) {
            Sample sample = simulation.sample();
            return sample.shifted() + sample.electric();
        }
    }

    /** Energy of rock salt, and of the same ions after they have moved, for two splits of Coulomb's law. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "1,1"})
    void shouldSumChargesExactlyWhereverTheSumIsSplit(String layout) {
        try (TestJob job = TestJob.start(Topology.parse(layout))) {
            job.run(gas -> {
                double[] energies = new double[4];
                for (int i = 0; i < energies.length; i++) {
                    Configuration ions = ions(i >= 2, 1, 0, 0);
                    try (Simulation simulation = charged(gas, ions, i % 2 == 0 ? 2 : 2.7)) {
                        energies[i] = simulation.sample().electric() / ions.atoms();
                    }
                }
                assertEquals(-Model.MADELUNG / 2, energies[0], 1e-9);
                assertEquals(-Model.MADELUNG / 2, energies[1], 1e-9);
                assertEquals(energies[2], energies[3], 1e-9);
                assertTrue(energies[2] - energies[0] > 0.001, () -> energies[2] + " is not above " + energies[0]);
            });
        }
    }

    /** Ions move a little one by one, and the cube becomes a little larger and smaller. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "1,1"})
    void shouldHaveForcesAndVirialOfChargesThatAreDerivativesOfTheEnergy(String layout) {
        double step = 1e-5;
        try (TestJob job = TestJob.start(Topology.parse(layout))) {
            job.run(gas -> {
                double[] forces = new double[3 * 216];
                double virial;
                try (Simulation simulation = charged(gas, ions(true, 1, 0, 0), 2)) {
                    virial = simulation.sample().virial();
                    Atoms atoms = simulation.atoms();
                    for (int i = 0; i < 3 * atoms.own(); i++) {
                        forces[3 * atoms.numbers()[i / 3] + i % 3] = atoms.forces()[Atoms.STRIDE * (i / 3) + i % 3];
                    }
                }
                if (gas.rankCount() == 1) {
                    for (int coordinate = 0; coordinate < forces.length; coordinate += 50) {
                        double fall = potential(gas, ions(true, 1, coordinate, -step))
                            - potential(gas, ions(true, 1, coordinate, step));
                        assertEquals(fall / (2 * step), forces[coordinate], 1e-3, "coordinate " + coordinate);
                    }
                }
                double fall = potential(gas, ions(true, 1 - step, 0, 0)) - potential(gas, ions(true, 1 + step, 0, 0));
                assertEquals(fall / (2 * step), virial, 1e-2);
            });
        }
    }

    /** The ends of the bricks are rounded differently. */
    @Test
    void shouldHaveTheSameRoomForMessagesOnAllRanks() {
        double edge = Math.cbrt(62_500 / 0.5);
        Set<Integer> rooms = IntStream.range(0, 6)
            .mapToObj(rank -> AtomExchange.room(new Brick(Brick.grid(6), rank, edge, 3.3), 0.5, 62_500, 1, 0, 0))
            .collect(Collectors.toSet());
        assertEquals(1, rooms.size(), rooms::toString);
    }

    @Test
    void shouldFailWhenStepsAreTooLong() {
        JobShape.Outcome outcome = JobShape.THREE_NODES_OF_ONE.run(Md::new, "--atoms", "1372", "--timestep", "0.02",
            "--equilibration", "0", "--steps", "30", "--temperature", "3");
        assertFalse(outcome.right(), outcome.printed());
        assertTrue(outcome.printed().contains(": FAILED: energy of an atom, limit 2."), outcome.printed());
    }

    /** With one step alone, too; it is compared with the state before it. */
    @Test
    void shouldFailWhenASingleStepIsTooLong() {
        JobShape.Outcome outcome = JobShape.THREE_NODES_OF_ONE.run(Md::new, "--atoms", "1372", "--timestep", "0.05",
            "--equilibration", "0", "--steps", "1");
        assertFalse(outcome.right(), outcome.printed());
        assertTrue(outcome.printed().contains(": FAILED"), outcome.printed());
        assertTrue(JobShape.THREE_NODES_OF_ONE.run(Md::new, "--atoms", "1372", "--equilibration", "0",
            "--steps", "1").right());
    }

    /** A frame of 2^42 bytes: it has no room, and says so. */
    @Test
    void shouldFailWhenTheFrameHasNoRoom(@TempDir Path folder) {
        JobShape.TWO_NODES_OF_TWO.run(gas -> {
            Path file = folder.resolve("atoms.vtk");
            assertFalse(Frame.write(gas, new Atoms(), 1L << 36, file, new Report(System.out, false)));
            assertTrue(Files.notExists(file));
        });
    }

    @Test
    void shouldReportBeforeTheFrameIsWritten(@TempDir Path folder) {
        Path file = folder.resolve("atoms.vtk");
        AfterResults out = new AfterResults(file);
        JobShape.ONE_NODE_OF_FOUR.run(gas -> assertTrue(program("--atoms 864 --equilibration 0 --steps 2 --frame "
            + file).run(gas, out.report(gas))));
        assertTrue(out.isFirst() && Files.exists(file));
    }

    @Test
    void shouldSayHowMuchOfTheFrameIsWritten(@TempDir Path folder) {
        SlowProgress progress = new SlowProgress();
        JobShape.ONE_NODE_OF_FOUR.run(gas -> assertTrue(program("--atoms 864 --equilibration 0 --steps 2 --frame "
            + folder.resolve("atoms.vtk")).run(gas, progress.report(gas.rank() == 0))));
        assertEquals(4 * 864 - 1, progress.percentages("md, frame").size());
    }

    @Test
    void shouldWriteFiguresAndAFrame(@TempDir Path folder) throws Exception {
        Path figures = folder.resolve("figures.json");
        Path frame = folder.resolve("atoms.vtk");
        JobShape job = JobShape.TWO_NODES_OF_TWO;
        String[] words = {"--system", "charged", "--equilibration", "0", "--steps", "10", "--json", figures.toString(),
            "--frame", frame.toString()};
        assertTrue(job.run(Md::new, words).right());
        String json = Files.readString(figures);
        for (String part : List.of("\"program\": \"md\"", "\"system\": \"charged\"", "\"atoms\": 512", "\"ranks\": 4",
            "\"synchronization\": \"mailbox\"", "\"seconds\": ", "\"atomStepsPerSecond\": ", "\"madelungError\": ",
            "\"verified\": true")) {
            assertTrue(json.contains(part), json);
        }
        List<String> lines = Files.readAllLines(frame);
        assertEquals("# vtk DataFile Version 3.0", lines.getFirst());
        int points = lines.indexOf("POINTS 512 double");
        int vertices = lines.indexOf("VERTICES 512 1024");
        assertEquals(512, vertices - points - 1);
        assertEquals(512, lines.indexOf("POINT_DATA 512") - vertices - 1);
        int charges = lines.indexOf("LOOKUP_TABLE default") + 1;
        assertEquals(256, lines.subList(charges, charges + 512).stream().filter("1.00000000"::equals).count());
        assertEquals(512, lines.size() - lines.indexOf("VECTORS velocity double") - 1);
        words[words.length - 1] = folder.resolve("no/atoms.vtk").toString();
        assertThrows(ParameterException.class, () -> job.run(Md::new, words));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "1   | --atoms 4001                       | 4001 atoms do not fill a cube of lattice cells; 4000 or 5324 would",
        "1   | --atoms 3                          | 3 atoms do not fill a cube of lattice cells; 4 would",
        "1   | --system charged --atoms 500       | lattice cells; 216 or 512 would",
        "1   | --atoms 2000000000                 | --atoms must be 50000000 at most: 2000000000",
        "1   | --cutoff 0.9                       | --cutoff must be 1.0 at least: 0.9",
        "1   | --density 0                        | --density must be positive: 0.0",
        "1   | --temperature NaN                  | --temperature must be positive: NaN",
        "1   | --steps 0                          | --steps must be positive",
        "1   | --equilibration -1                 | --equilibration must not be negative: -1",
        "1   | --charge 2                         | --charge is for --system charged",
        "1   | --nist --density 0.8               | no density 0.8, but 0.776, 0.78, 0.82, 0.84, 0.86",
        "1   | --nist                             | --nist needs --equilibration 2000 and --steps 5000 or more",
        "1   | --nist --equilibration 2000 --steps 5000 --temperature 2 | --temperature 0.851 would fit",
        "1   | --nist --density 0.78 --temperature 0.88 | at the temperature 0.853, and --temperature 0.88 is more",
        "1   | --nist --cutoff 2.5                | --nist is for --system lj with --cutoff 3",
        "1   | --sync get --design deferred       | --sync get has no --design deferred, only [auto]",
        "16  | --atoms 500                        | a grid of 4 x 2 x 2, have 2.10 each",
        "16  | --atoms 500                        | 3.30; 8 ranks or 2048 atoms would fit",
        "1   | --atoms 4                          | less than the cut-off and the skin, 3.30; 32 atoms would fit",
        "1   | --cutoff 1e7                       | 10000000.30; use a shorter --cutoff",
        "8   | --atoms 4000 --cutoff 10           | 10.30; 1 rank or 8788 atoms would fit",
        "1   | --atoms 49999999                   | lattice cells; 49948672 would",
        "1   | --atoms 48668000 --cutoff 12       | as the lists of 1 rank hold; --cutoff 2.02 or 216 ranks would fit",
        "1   | --system charged --atoms 512000    | more than 1e+07 or 1e+11; --cutoff 7.3 or 125000 atoms would",
        "1   | --system charged --density 1e-6    | would fit"})
    void shouldSayWhatWouldFit(String layout, String arguments, String problem) {
        ConfigException refused = assertThrows(ConfigException.class,
            () -> program(arguments).checkLayout(Topology.parse(layout)));
        assertTrue(refused.getMessage().contains(problem), refused.getMessage());
    }

    @Test
    void shouldRefuseOptionsOnEveryRank() {
        JobShape job = JobShape.ONE_NODE_OF_FOUR;
        assertThrows(ParameterException.class, () -> job.run(Md::new, "--atoms", "32"));
        assertThrows(ParameterException.class, () -> job.run(Md::new, "--sync", "get", "--design", "deferred"));
    }
}

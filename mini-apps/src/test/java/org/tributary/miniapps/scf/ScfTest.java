package org.tributary.miniapps.scf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
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
import org.tributary.globalarrays.GlobalArray;
import org.tributary.miniapps.AfterResults;
import org.tributary.miniapps.JobShape;
import org.tributary.miniapps.Report;
import org.tributary.miniapps.SlowProgress;
import org.tributary.miniapps.gaussian.BasisSet;
import org.tributary.wire.shape.ElementType;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

@Timeout(300)
class ScfTest {
    /** Of tables with six decimals. */
    private static final double LAST_DIGIT = 1.5e-6;
    private static final String WATER = "-74.96";

    @TempDir
    private Path folder;

    private static Scf program(String... arguments) {
        Scf program = new Scf();
        new CommandLine(program).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
        return program;
    }

    private static String[] words(String arguments) {
        return arguments.strip().split(" +");
    }

    private static double energy(JobShape.Outcome outcome) {
        assertTrue(outcome.right(), outcome.printed());
        Matcher matcher = Pattern.compile("(?m)^energy (-\\d+\\.\\d+) hartree").matcher(outcome.printed());
        assertTrue(matcher.find(), outcome.printed());
        return Double.parseDouble(matcher.group(1));
    }

    private String xyz(String... lines) throws Exception {
        Path file = folder.resolve("molecule.xyz");
        Files.writeString(file, String.join("\n", lines));
        return file.toString();
    }

    /**
     * NIST's Computational Chemistry Comparison and Benchmark Database; these are in the geometries of 6-31G*, other
     * basis sets have slightly others there.
     */
    @ParameterizedTest
    @CsvSource({"water, -76.010747", "ammonia, -56.184356"})
    void shouldMeetPublishedEnergiesOfMolecules(String molecule, double published) {
        assertEquals(published, energy(JobShape.TWO_NODES_OF_TWO.run(Scf::new, "--molecule", molecule)), LAST_DIGIT);
    }

    /** Table of the Basis Set Exchange for 6-31G*. */
    @ParameterizedTest
    @CsvSource({"He, -2.855160", "Be, -14.566944", "Ne, -128.474407", "Mg, -199.595611", "Ar, -526.773744"})
    void shouldMeetPublishedEnergiesOfAtoms(String symbol, double published) throws Exception {
        assertEquals(published, energy(JobShape.THREE_NODES_OF_ONE.run(Scf::new, "--molecule",
            xyz("1", symbol, symbol + " 0.1 0.2 -0.3"))), LAST_DIGIT);
    }

    /** T. D. Crawford's programming projects, number 3: energies of steps between too. */
    @Test
    void shouldMeetThePublishedEnergyOfAnotherWater() throws Exception {
        double angstrom = Molecule.BOHR;
        String file = xyz("3", "in angstrom", "O 0 0 " + -0.143225816552 * angstrom,
            "H 0 " + 1.638036840407 * angstrom + " " + 1.136548822547 * angstrom,
            "h 0 " + -1.638036840407 * angstrom + " " + 1.136548822547 * angstrom, "");
        assertEquals(-74.942079928192, energy(JobShape.ONE_NODE_OF_FOUR.run(Scf::new, "--molecule", file, "--basis",
            "sto-3g", "--tolerance", "1e-8")), 1e-8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "1,1", "2,2", "cyclic:2*3", "map:3*0,1,2*0,2*1,0", "4*2 forward",
        "4*2 aggregate direct", "4*2 combine", "4*2 combine node direct"})
    void shouldHaveTheSameEnergyOnAnyLayout(String layout) {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try (TestJob job = TestJob.start(layout)) {
            job.run(gas -> {
                PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
                Scf app = program("--basis", "STO-3G", "--tolerance", "1e-8", "--screening", "1e-12");
                assertTrue(app.run(gas, new Report(out, gas.rank() == 0)), printed::toString);
            });
        }
        String text = printed.toString(StandardCharsets.UTF_8);
        assertTrue(text.contains("energy " + WATER), text);
    }

    @Test
    void shouldComputeAClusterFromEitherGuess() {
        double[] energies = Stream.of("atoms", "core").mapToDouble(guess -> energy(JobShape.TWO_NODES_OF_TWO.run(
            Scf::new, "--molecule", "water-cluster", "--basis", "STO-3G", "--guess", guess))).toArray();
        assertEquals(energies[0], energies[1], 1e-8);
    }

    /** Turned, moved, and with its atoms in another order. */
    @Test
    void shouldHaveAnEnergyThatDoesNotDependOnThePlace() throws Exception {
        double bond = 0.9473;
        double half = Math.toRadians(105.5) / 2;
        double[] energies = new double[2];
        for (int i = 0; i < energies.length; i++) {
            double tilt = 0.7 * i;
            String[] atoms = new String[3];
            for (int h = -1; h <= 1; h++) {
                double along = h == 0 ? 0 : bond * Math.cos(half);
                double across = h * bond * Math.sin(half);
                double x = 3 * i + along * Math.cos(tilt) - across * Math.sin(tilt);
                double y = along * Math.sin(tilt) + across * Math.cos(tilt);
                atoms[(h + 1 + i) % 3] = (h == 0 ? "O " : "H ") + x * Math.cos(tilt) + " " + y + " "
                    + x * Math.sin(tilt);
            }
            energies[i] = energy(JobShape.ONE_NODE_OF_FOUR.run(Scf::new, "--molecule",
                xyz("3", "", atoms[0], atoms[1], atoms[2])));
        }
        assertEquals(energies[0], energies[1], 1e-8);
    }

    @Test
    void shouldWriteFigures() throws Exception {
        Path file = folder.resolve("figures.json");
        assertTrue(JobShape.TWO_NODES_OF_TWO.run(Scf::new, "--basis", "STO-3G", "--json", file.toString()).right());
        String json = Files.readString(file);
        for (String part : List.of("\"molecule\": \"water\"", "\"formula\": \"H2O\"", "\"basis\": \"STO-3G\"",
            "\"functions\": 7", "\"electrons\": 10", "\"ranks\": 4", "\"nodes\": 2", "\"converged\": true",
            "\"secondsOfIntegrals\": ", "\"secondsOfCommunication\": ", "\"secondsOfDiagonalization\": ",
            "\"energy\": -74.96", "\"referenceEnergy\": -74.96", "\"verified\": true")) {
            assertTrue(json.contains(part), part + " in " + json);
        }
        assertFalse(JobShape.ONE_NODE_OF_FOUR.run(Scf::new, "--basis", "STO-3G", "--json", "/dev/full").right());
    }

    @Test
    void shouldWriteADensityThatHasAllElectrons() throws Exception {
        Path file = folder.resolve("water.cube");
        JobShape.Outcome outcome = JobShape.THREE_NODES_OF_ONE.run(Scf::new, "--basis", "STO-3G", "--density",
            file.toString(), "--density-spacing", "0.5");
        assertTrue(outcome.right() && outcome.printed().contains("density: "), outcome.printed());
        List<String> lines = Files.readAllLines(file);
        assertEquals("H2O STO-3G", lines.get(0));
        double[] origin = numbers(lines.get(2));
        int[] points = new int[3];
        for (int d = 0; d < 3; d++) {
            double[] axis = numbers(lines.get(3 + d));
            points[d] = (int) axis[0];
            assertEquals(0.5, axis[1 + d]);
            assertTrue(origin[1 + d] <= -5, lines.get(2));
        }
        assertEquals(3, origin[0]);
        assertArrayEquals(new double[] {8, 8, 0, 0, 0}, numbers(lines.get(6)));
        double[] values = lines.stream().skip(9).flatMapToDouble(line -> Stream.of(words(line))
            .mapToDouble(Double::parseDouble)).toArray();
        assertEquals(points[0] * points[1] * points[2], values.length);
        double sum = 0;
        for (double value : values) {
            assertTrue(value >= 0);
            sum += value * 0.125;
        }
        assertEquals(10, sum, 1.5); // a coarse grid, next to the cusp at a nucleus
        assertFalse(JobShape.ONE_NODE_OF_FOUR.run(Scf::new, "--basis", "STO-3G", "--density", "/dev/full").right());
    }

    /** A grid of 2^57 points: the density has no room, and says so. */
    @Test
    void shouldFailWhenTheDensityHasNoRoom() {
        int many = 1 << 19;
        JobShape.TWO_NODES_OF_TWO.run(gas -> {
            Molecule molecule = Molecules.of("water").orElseThrow();
            Functions functions = new Functions(molecule, BasisSet.of("STO-3G").orElseThrow());
            try (GlobalArray matrix = GlobalArray.create(gas, "P", ElementType.DOUBLE, functions.count(),
                functions.count())) {
                matrix.zero();
                assertFalse(program("--density", folder.resolve("d").toString()).writeDensity(gas, molecule, functions,
                    matrix, new Grid(new double[3], new int[] {many, many, many}, 0.1), new Report(System.out, false)));
            }
        });
    }

    @Test
    void shouldReportBeforeTheDensityIsWritten() throws Exception {
        Path file = folder.resolve("water.cube");
        AfterResults out = new AfterResults(file);
        JobShape.ONE_NODE_OF_FOUR.run(gas -> assertTrue(program("--basis", "STO-3G", "--density", file.toString(),
            "--density-spacing", "0.5").run(gas, out.report(gas))));
        assertTrue(out.isFirst() && Files.exists(file));
    }

    @Test
    void shouldSayHowFarTheDensityIs() throws Exception {
        Path file = folder.resolve("water.cube");
        SlowProgress progress = new SlowProgress();
        JobShape.ONE_NODE_OF_FOUR.run(gas -> assertTrue(program("--basis", "STO-3G", "--density", file.toString(),
            "--density-spacing", "0.5").run(gas, progress.report(gas.rank() == 0))));
        int planes = Integer.parseInt(words(Files.readAllLines(file).get(3))[0]);
        assertEquals(planes - 1, progress.percentages("scf, file of the density").size());
        int own = progress.percentages("scf, density").size() + 1;
        assertTrue(own > 1 && own <= planes, () -> own + " of " + planes + " planes");
    }

    /** There is a published one of the atom, but none in the program. */
    @Test
    void shouldNotSayVerifiedWhenNoEnergyIsKnown() throws Exception {
        Path file = folder.resolve("figures.json");
        JobShape.Outcome outcome = JobShape.ONE_NODE_OF_FOUR.run(Scf::new, "--molecule", xyz("1", "", "Ne 0 0 0"),
            "--basis", "STO-3G", "--json", file.toString());
        assertTrue(outcome.right(), outcome.printed());
        assertTrue(outcome.printed().contains("not verified: there is no known energy of ")
            && !outcome.printed().contains("verification"), outcome.printed());
        String json = Files.readString(file);
        assertTrue(json.contains("\"converged\": true") && !json.contains("verified"), json);
    }

    private static double[] numbers(String line) {
        return Stream.of(words(line)).mapToDouble(Double::parseDouble).toArray();
    }

    @Test
    void shouldFailWhenItDoesNotConverge() throws Exception {
        Path file = folder.resolve("figures.json");
        JobShape.Outcome outcome = JobShape.TWO_NODES_OF_TWO.run(Scf::new, "--basis", "STO-3G", "--max-iterations",
            "2", "--json", file.toString());
        assertFalse(outcome.right());
        assertTrue(outcome.printed().contains("not converged within 2 iterations: error "), outcome.printed());
        assertTrue(Files.readString(file).contains("\"converged\": false"));
    }

    /** On another number of ranks, with the same answer. */
    @Test
    void shouldGoOnFromACheckpoint() throws Exception {
        String file = folder.resolve("state").toString();
        String[] first = {"--basis", "STO-3G", "--checkpoint", file, "--max-iterations", "4"};
        assertFalse(JobShape.TWO_NODES_OF_TWO.run(Scf::new, first).right());
        String[] more = {"--basis", "STO-3G", "--checkpoint", file};
        JobShape.Outcome second = JobShape.THREE_NODES_OF_ONE.run(Scf::new, more);
        assertTrue(second.right() && second.printed().contains("goes on from iteration 3: " + file), second::printed);
        JobShape.Outcome third = JobShape.ONE_NODE_OF_FOUR.run(Scf::new, more);
        assertTrue(third.right(), third::printed);
        assertEquals(1, third.printed().lines().filter(line -> line.startsWith("iteration ")).count(), third::printed);
        assertEquals(energy(second), energy(third), 1e-9);
        refuses(file, " has ", "; a larger --max-iterations than 1 would fit", "--basis", "STO-3G", "--max-iterations",
            "1");
        refuses(file, file + ": is a checkpoint of 'scf H2O, charge 0, STO-3G, atoms ",
            "not of 'scf H3N, charge 0, STO-3G, atoms", "--basis", "STO-3G", "--molecule", "ammonia");
        refuses(file, "charge 0, STO-3G, atoms ", "not of 'scf H2O, charge 0, 6-31G*, atoms ");
        refuses(file, "charge 0, STO-3G, atoms ", "not of 'scf H2O, charge 2, STO-3G, atoms ", "--basis", "STO-3G",
            "--charge", "2");
        byte[] whole = Files.readAllBytes(Path.of(file));
        byte[] damaged = whole.clone();
        damaged[4096 + 8 + 11] ^= 4; // an element of the first tile
        Files.write(Path.of(file), damaged);
        refuses(file, file, "", "--basis", "STO-3G");
        Files.write(Path.of(file), Arrays.copyOf(whole, whole.length - 4096));
        refuses(file, file, "", "--basis", "STO-3G");
    }

    private static void refuses(String file, String problem, String more, String... arguments) {
        String[] all = Stream.concat(Stream.of(arguments), Stream.of("--checkpoint", file)).toArray(String[]::new);
        JobShape.ONE_NODE_OF_FOUR.run(gas -> {
            ParameterException refused = assertThrows(ParameterException.class,
                () -> program(all).runChecked(gas, new Report(System.out, false)));
            assertTrue(refused.getMessage().startsWith("--checkpoint: ") && refused.getMessage().contains(problem)
                && refused.getMessage().contains(more), refused.getMessage());
        });
    }

    /** The name is too long for the one under which it is written first. */
    @Test
    void shouldFailWhenNoCheckpointCanBeWritten() {
        assertFalse(JobShape.ONE_NODE_OF_FOUR.run(Scf::new, "--basis", "STO-3G", "--checkpoint",
            folder.resolve("s".repeat(250)).toString()).right());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--basis 6-31                    | --basis 6-31: there is [STO-3G, 6-31G, 6-31G*, 6-31G**]; the nearest",
        "--tolerance 0                   | --tolerance must be between 1.0E-9 and 1.0E-4: 0.0",
        "--tolerance 0.01                | --tolerance must be between 1.0E-9 and 1.0E-4: 0.01",
        "--screening 0                   | --screening must be positive, and 1.0E-6 at most: 0.0",
        "--screening NaN                 | --screening must be positive, and 1.0E-6 at most: NaN",
        "--max-iterations 0              | --max-iterations must be positive: 0",
        "--block 0                       | --block must be positive: 0",
        "--charge 1                      | 9 electrons, an odd number, and closed shells have pairs; --charge 0 or",
        "--charge 10                     | water with charge 10 has 0 electrons, and at least two are needed; --charge",
        "--basis STO-3G --charge -6      | water has 8 pairs of electrons, and STO-3G only 7 functions for them",
        "--density-spacing 0.1           | --density-spacing needs --density FILE",
        "--density d --density-spacing 0 | --density-spacing must be positive: 0.0"})
    void shouldSayWhatWouldFit(String arguments, String problem) {
        ConfigException refused = assertThrows(ConfigException.class,
            () -> program(words(arguments)).checkLayout(Topology.parse("2")));
        assertTrue(refused.getMessage().contains(problem), refused.getMessage());
    }

    /** As near as these atoms are, most combinations of their functions are hardly different from others. */
    @Test
    void shouldRefuseAMoleculeWithTooFewOrbitals() throws Exception {
        int atoms = 40;
        String[] lines = new String[atoms + 2];
        lines[0] = Integer.toString(atoms);
        lines[1] = "";
        for (int atom = 0; atom < atoms; atom++) {
            lines[atom + 2] = "He 0 0 " + 0.101 * atom;
        }
        String file = xyz(lines);
        JobShape.TWO_NODES_OF_TWO.run(gas -> {
            Scf program = program("--molecule", file, "--basis", "STO-3G");
            String message = assertThrows(ParameterException.class,
                () -> program.runChecked(gas, new Report(System.out, false))).getMessage();
            assertTrue(message.matches(".* has 40 pairs of electrons, and the functions of STO-3G overlap so much that"
                + " only [1-3][0-9] combinations of them are left; .*"), message);
        });
    }

    /** All ranks find the same, though rank 0 alone reads the file. */
    @Test
    void shouldRefuseMoleculesOnEveryRank() throws Exception {
        JobShape.TWO_NODES_OF_TWO.run(gas -> {
            refuse(gas, "watr", "--molecule watr: there is no molecule and no file of this name; the nearest known is");
            refuse(gas, folder.toString(), "rank 0 cannot read it on its host");
            refuse(gas, "/dev/zero", "is no regular file");
        });
        refuseAll(xyz("2", "", "O 0 0 0"), "line 1: the number of atoms is 2, that of their lines 1");
        refuseAll(xyz("2", "", "H 0 0 0", "H 0 0 1e-3"), "atoms 1 (H) and 2 (H) are 0.001 angstrom apart");
        refuseAll(xyz("1", "", "Fe 0 0 0"), "6-31G* has no functions for Fe, atom 1, only for H to Ar");
        refuseAll(xyz("1", "", "H 0 0 0"), "has 1 electrons, an");
        refuseAll(xyz("2", "", "N 0 0 0", "O 0 0 1.15"), "--charge -1 or --charge 1 would fit");
    }

    private void refuseAll(String file, String problem) {
        JobShape.TWO_NODES_OF_TWO.run(gas -> refuse(gas, file, problem));
    }

    private static void refuse(Gas gas, String molecule, String problem) {
        ParameterException refused = assertThrows(ParameterException.class,
            () -> program("--molecule", molecule).runChecked(gas, new Report(System.out, false)));
        assertTrue(refused.getMessage().contains(problem), refused.getMessage());
    }

    @Test
    void shouldRefuseAGridThatIsTooFine() {
        ParameterException refused = assertThrows(ParameterException.class, () -> JobShape.ONE_NODE_OF_FOUR.run(
            Scf::new, "--density", folder.resolve("d").toString(), "--density-spacing", "0.001"));
        assertTrue(refused.getMessage().contains("would fit"), refused.getMessage());
        assertThrows(ParameterException.class, () -> JobShape.ONE_NODE_OF_FOUR.run(Scf::new, "--density",
            folder.resolve("no/such/file").toString()));
    }

    /** Also where a first guess of the spacing would be far too small. */
    @ParameterizedTest
    @ValueSource(doubles = {100, 1e3, 1e7})
    void shouldSayWhichGridWouldFitWhenAtomsAreFarApart(double bohr) {
        Molecule molecule = new Molecule("far", new int[] {2, 2}, new double[] {0, 0, 0, bohr, -bohr, bohr / 3});
        double finest = Grid.finest(molecule, 2e7);
        assertTrue(Grid.around(molecule, finest).count() <= 2e7, () -> finest + " would not fit");
        assertTrue(Grid.around(molecule, finest - 0.01).count() > 2e7, () -> finest + " is not the finest");
    }

    @Test
    void shouldRefuseAGridOfAtomsThatAreTooFarApart() throws Exception {
        String file = xyz("2", "", "He 0 0 0", "He 1e21 0 0");
        ParameterException refused = assertThrows(ParameterException.class, () -> JobShape.ONE_NODE_OF_FOUR.run(
            Scf::new, "--molecule", file, "--density", folder.resolve("d").toString()));
        assertTrue(refused.getMessage().contains("line 4: '1e21' is too far away"), refused.getMessage());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "''                       | line 1: an xyz file begins with the number of atoms, and this one is empty",
        "water/x/O 0 0 0          | line 1: an xyz file begins with the number of atoms: 'water'",
        "0/x                      | line 1: an xyz file begins with the number of atoms: '0'",
        "2                        | line 1: the number of atoms is 2, that of their lines 0",
        "1/x/O 0 0 0/O 0 0 1      | line 1: the number of atoms is 1, that of their lines 2",
        "1/x/O 0 0                | line 3: an atom has a symbol, x, y and z: 'O 0 0'",
        "1/x/Xx 0 0 0             | line 3: 'Xx' is the symbol of no element",
        "2/x/O 0 0 0/H 0 zero 0   | line 4: 'zero' is no coordinate in angstrom",
        "1/x/O 0 0 NaN            | line 3: 'NaN' is no coordinate in angstrom",
        "1/x/O 0 0 -1000001       | line 3: '-1000001' is too far away, in angstrom; from -1000000 to 1000000",
        "2/x/He 0 0 0/He 1e21 0 0 | line 4: '1e21' is too far away"})
    void shouldNameFileAndLineOfAnUnreadableMolecule(String text, String problem) {
        ConfigException refused = assertThrows(ConfigException.class,
            () -> XyzFile.parse("a.xyz", text.replace('/', '\n')));
        assertTrue(refused.getMessage().contains("--molecule a.xyz: " + problem), refused.getMessage());
    }

    @Test
    void shouldReadAMolecule() {
        Molecule molecule = XyzFile.parse("a.xyz",
            " 3 \r\nsome text\r\nCl 1 2 3 0.5\r\n  C -1e1 0 0\r\nh 0 0 0\r\n\r\n");
        assertEquals("CHCl", molecule.formula());
        assertEquals(17 + 6 + 1, molecule.protons());
        assertEquals(-10 / Molecule.BOHR, molecule.position(1, 0), 1e-12);
    }
}

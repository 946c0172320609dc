package org.tributary.miniapps.scf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tributary.client.testing.TestJob;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.miniapps.gaussian.BasisSet;
import org.tributary.miniapps.gaussian.Repulsion;
import org.tributary.miniapps.gaussian.ShellPair;

/** The Fock matrix against the sum over all integrals, without symmetry, blocks or screening. */
@Timeout(300)
class FockTasksTest {
    private static final double ERROR = 1e-11;
    private static final Pairs WATER = pairs("water", "6-31G*");
    private static final double[] DENSITY = symmetric(WATER.functions().count());
    private static final double[] EXPECTED = expected(WATER, DENSITY);

    private static Pairs pairs(String molecule, String basis) {
        return new Pairs(new Functions(Molecules.of(molecule).orElseThrow(), BasisSet.of(basis).orElseThrow()));
    }

    private static double[] symmetric(int size) {
        Random random = new Random(5);
        double[] matrix = new double[size * size];
        for (int n = 0; n < matrix.length; n++) {
            matrix[n] = random.nextDouble() - 0.5;
        }
        Dense.symmetrize(matrix, size);
        return matrix;
    }

    /** By its definition: the sum over k and l of P(k,l) ((ij|kl) - (ik|jl) / 2). */
    private static double[] expected(Pairs pairs, double[] density) {
        Functions functions = pairs.functions();
        int size = functions.count();
        double[] fock = new double[size * size];
        Repulsion repulsion = new Repulsion();
        for (int a = 0; a < functions.shells(); a++) {
            for (int b = 0; b < functions.shells(); b++) {
                ShellPair bra = new ShellPair(functions.shell(a), functions.shell(b));
                for (int c = 0; c < functions.shells(); c++) {
                    for (int d = 0; d < functions.shells(); d++) {
                        ShellPair ket = new ShellPair(functions.shell(c), functions.shell(d));
                        double[] integrals = repulsion.of(bra, ket);
                        int at = 0;
                        for (int i = functions.first(a); i < functions.first(a + 1); i++) {
                            for (int j = functions.first(b); j < functions.first(b + 1); j++) {
                                for (int k = functions.first(c); k < functions.first(c + 1); k++) {
                                    for (int l = functions.first(d); l < functions.first(d + 1); l++) {
                                        double integral = integrals[at++];
                                        fock[i * size + j] += density[k * size + l] * integral;
                                        fock[i * size + k] -= density[j * size + l] * integral / 2;
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
        return fock;
    }

    @Test
    void shouldBeTheSumOverAllIntegralsOnOneRank() {
        assertArrayEquals(EXPECTED, new SerialFock(WATER, 1e-14).of(DENSITY), ERROR);
        Pairs pairs = pairs("ammonia", "6-31G**");
        double[] density = symmetric(pairs.functions().count());
        assertArrayEquals(expected(pairs, density), new SerialFock(pairs, 1e-14).of(density), ERROR);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "3", "2,1", "4*2 forward", "4*2 aggregate direct", "4*2 combine"})
    void shouldBeTheSumOverAllIntegralsWhateverTheBlocks(String layout) {
        int size = WATER.functions().count();
        try (TestJob job = TestJob.start(layout)) {
            job.run(gas -> {
                for (int most : new int[] {1, 7, 100}) {
                    Blocks blocks = Blocks.of(WATER.functions(), most);
                    try (FockTasks tasks = new FockTasks(gas, WATER, blocks, 1e-14, new Phases())) {
                        if (gas.rank() == 0) {
                            tasks.density().put(Patch.whole(size, size), DENSITY);
                        }
                        tasks.density().barrier();
                        tasks.build(blocks.largest(DENSITY), task -> { });
                        double[] fock = new double[size * size];
                        tasks.fock().get(Patch.whole(size, size), fock);
                        Dense.symmetrize(fock, size);
                        assertArrayEquals(EXPECTED, fock, ERROR, "blocks of " + most);
                        gas.barrier();
                    }
                }
            });
        }
    }

    @Test
    void shouldLeaveOutWhatIsTooSmall() {
        Pairs pairs = pairs("water-cluster", "6-31G");
        double[] density = symmetric(pairs.functions().count());
        double[] all = new SerialFock(pairs, 1e-14).of(density);
        double[] most = new SerialFock(pairs, 1e-7).of(density);
        assertArrayEquals(all, most, 1e-4);
        Quartets quartets = new Quartets(pairs, Blocks.one(pairs.functions()), 1e-4);
        System.arraycopy(density, 0, quartets.density(Quartets.IJ), 0, density.length);
        long computed = quartets.compute(0, 0, 0, 0);
        long shellPairs = Triangle.count(pairs.functions().shells());
        assertTrue(computed > 0 && computed < Triangle.count(shellPairs) / 2, () -> "computed " + computed);
    }

    @Test
    void shouldCutFunctionsIntoBlocksOfWholeShells() {
        Functions functions = WATER.functions();
        assertEquals(19, functions.count());
        for (int most = 1; most < 25; most++) {
            Blocks blocks = Blocks.of(functions, most);
            assertEquals(0, blocks.first(0));
            assertEquals(19, blocks.first(blocks.count()));
            for (int block = 0; block < blocks.count(); block++) {
                assertTrue(blocks.functions(block) <= most
                    || blocks.firstShell(block + 1) - blocks.firstShell(block) == 1);
            }
        }
        assertEquals(1, Blocks.of(functions, 19).count());
        assertEquals(functions.shells(), Blocks.of(functions, 1).count());
    }

    @Test
    void shouldNumberPairsRowByRow() {
        long number = 0;
        for (int i = 0; i < 300; i++) {
            for (int j = 0; j <= i; j++) {
                assertEquals(number, Triangle.number(i, j));
                assertEquals(i, Triangle.row(number));
                assertEquals(j, Triangle.column(number));
                number++;
            }
        }
        long large = Triangle.count(3_000_000_000L);
        assertEquals(3_000_000_000L, Triangle.row(large));
        assertEquals(2_999_999_999L, Triangle.row(large - 1));
    }
}

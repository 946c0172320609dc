package org.tributary.miniapps.scf;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.tributary.client.Gas;
import org.tributary.globalarrays.Block;
import org.tributary.globalarrays.GlobalArray;
import org.tributary.globalarrays.distribution.Patch;
import org.tributary.miniapps.Progress;
import org.tributary.miniapps.Report;
import org.tributary.wire.shape.ElementType;
import org.tributary.wire.shape.ReduceOp;

/** The density of electrons on a grid that is spread over the ranks, in electrons per bohr^3. */
final class ElectronDensity implements AutoCloseable {
    /** Functions of smaller values at a point are left out. */
    private static final double SMALLEST = 1e-9;
    private static final int NUMBERS_OF_LINE = 6;

    private final Gas gas;
    private final Molecule molecule;
    private final Grid grid;
    private final GlobalArray values;

    private ElectronDensity(Gas gas, Molecule molecule, Grid grid, GlobalArray values) {
        this.gas = gas;
        this.molecule = molecule;
        this.grid = grid;
        this.values = values;
    }

    /** Computes it by a density matrix; each rank its block of the grid. Collective. */
    static ElectronDensity of(Gas gas, Molecule molecule, Functions functions, GlobalArray matrix, Grid grid,
        Report out) {
        GlobalArray values = GlobalArray.create(gas, "electron density", ElementType.DOUBLE, grid.points()[0],
            grid.points()[1], grid.points()[2]);
        int size = functions.count();
        double[] density = new double[size * size];
        matrix.get(Patch.whole(size, size), density);
        Block own = values.access();
        Patch patch = own.patch();
        double[] at = new double[size];
        int[] near = new int[size];
        Progress progress = out.progress("scf, density", patch.extent(0));
        for (long x = patch.lo(0); x < patch.hi(0); x++) {
            for (long y = patch.lo(1); y < patch.hi(1); y++) {
                for (long z = patch.lo(2); z < patch.hi(2); z++) {
                    evaluate(functions, grid.at(0, x), grid.at(1, y), grid.at(2, z), at);
                    own.segment().set(ValueLayout.JAVA_DOUBLE, own.offset(x, y, z), sum(density, at, near));
                }
            }
            progress.step();
        }
        values.barrier();
        return new ElectronDensity(gas, molecule, grid, values);
    }

    private static void evaluate(Functions functions, double x, double y, double z, double[] into) {
        for (int shell = 0; shell < functions.shells(); shell++) {
            functions.shell(shell).evaluate(x, y, z, into, functions.first(shell));
        }
    }

    /** The sum of all products of two functions' values, each times its element of the symmetric matrix. */
    private static double sum(double[] matrix, double[] values, int[] near) {
        int count = 0;
        for (int i = 0; i < values.length; i++) {
            if (Math.abs(values[i]) > SMALLEST) {
                near[count++] = i;
            }
        }
        double sum = 0;
        for (int n = 0; n < count; n++) {
            int row = near[n] * values.length;
            double others = 0;
            for (int m = 0; m < n; m++) {
                others += matrix[row + near[m]] * values[near[m]];
            }
            sum += values[near[n]] * (2 * others + matrix[row + near[n]] * values[near[n]]);
        }
        return sum;
    }

    /** Electrons of the whole grid, as if the density was even around each point. Collective. */
    double electrons() {
        Block own = values.access();
        Patch patch = own.patch();
        double sum = 0;
        for (long x = patch.lo(0); x < patch.hi(0); x++) {
            for (long y = patch.lo(1); y < patch.hi(1); y++) {
                for (long z = patch.lo(2); z < patch.hi(2); z++) {
                    sum += own.segment().get(ValueLayout.JAVA_DOUBLE, own.offset(x, y, z));
                }
            }
        }
        return gas.world().allreduce(ReduceOp.SUM, sum * grid.volume());
    }

    /**
     * Writes a cube file, which ParaView opens, on rank 0: two lines of text; the number of atoms and the first point;
     * points and spacing along each dimension; number, charge and place of each atom; values, z varying fastest, each
     * row of z from a new line on. Collective.
     *
     * @return whether it could be written, the same on every rank
     */
    boolean write(Path file, String title, Report report) {
        boolean written = true;
        if (gas.rank() == 0) {
            Progress progress = report.progress("scf, file of the density", grid.points()[0]);
            try (BufferedWriter out = Files.newBufferedWriter(file, StandardCharsets.US_ASCII)) {
                head(out, title);
                int rows = grid.points()[1];
                int columns = grid.points()[2];
                double[] plane = new double[rows * columns];
                for (int x = 0; x < grid.points()[0]; x++) {
                    values.get(Patch.of(new long[] {x, 0, 0}, new long[] {x + 1, rows, columns}), plane);
                    for (int y = 0; y < rows; y++) {
                        row(out, plane, y * columns, columns);
                    }
                    progress.step();
                }
            } catch (IOException e) {
                System.err.println("cannot write the density to " + file + ": " + e);
                written = false;
            }
        }
        return gas.world().allreduce(ReduceOp.MIN, written ? 1 : 0) == 1;
    }

    private void head(BufferedWriter out, String title) throws IOException {
        PrintWriter text = new PrintWriter(out);
        text.printf(Locale.ROOT, "%s%nelectrons per cubic bohr, lengths in bohr%n", title);
        text.printf(Locale.ROOT, "%5d %12.6f %12.6f %12.6f%n", molecule.atoms(), grid.origin()[0], grid.origin()[1],
            grid.origin()[2]);
        for (int d = 0; d < 3; d++) {
            text.printf(Locale.ROOT, "%5d %12.6f %12.6f %12.6f%n", grid.points()[d], d == 0 ? grid.spacing() : 0.0,
                d == 1 ? grid.spacing() : 0.0, d == 2 ? grid.spacing() : 0.0);
        }
        for (int atom = 0; atom < molecule.atoms(); atom++) {
            text.printf(Locale.ROOT, "%5d %12.6f %12.6f %12.6f %12.6f%n", molecule.element(atom),
                (double) molecule.element(atom), molecule.position(atom, 0), molecule.position(atom, 1),
                molecule.position(atom, 2));
        }
        text.flush();
        if (text.checkError()) {
            throw new IOException("not everything could be written");
        }
    }

    private static void row(BufferedWriter out, double[] plane, int first, int count) throws IOException {
        for (int z = 0; z < count; z++) {
            out.write(String.format(Locale.ROOT, "%13.5E", plane[first + z]));
            if (z % NUMBERS_OF_LINE == NUMBERS_OF_LINE - 1 || z == count - 1) {
                out.newLine();
            }
        }
    }

    /** Collective. */
    @Override
    public void close() {
        values.close();
    }
}

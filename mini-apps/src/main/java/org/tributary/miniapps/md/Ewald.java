package org.tributary.miniapps.md;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.tributary.client.Group;
import org.tributary.wire.shape.ReduceOp;

/**
 * The smooth part of Coulomb's law in a periodic cube: a sum over waves, whose amplitudes are reduced over all ranks.
 * With {@link ShortRange} it is the whole law, for a cube in conducting surroundings.
 */
final class Ewald {
    private static final int DIMENSIONS = Configuration.DIMENSIONS;

    private final Group world;
    private final double split;
    private final double wave;
    private final int most;
    private final List<Row> rows = new ArrayList<>();
    private final double[] weights;
    private final double[] amplitudes;
    /** Cosines and sines of n waves along each dimension, with n from -most on. */
    private final double[][] cosines;
    private final double[][] sines;
    private double energy;

    /** Waves with the same x and y, from one z on; they have numbers from one on. Of opposite waves only one counts. */
    private record Row(int x, int y, int z, int from, int end) {
    }

    /** {@code width}: what both parts leave out is smaller by about exp(-width^2). */
    Ewald(Group world, double edge, double cutoff, double width) {
        this.world = world;
        split = split(cutoff, width);
        wave = 2 * Math.PI / edge;
        double longest = longest(edge, cutoff, width);
        most = (int) longest;
        int count = 0;
        for (int x = 0; x <= most; x++) {
            for (int y = x == 0 ? 0 : -most; y <= most; y++) {
                double left = longest * longest - x * x - y * y;
                if (left >= 0) {
                    int last = (int) Math.sqrt(left);
                    int first = x == 0 && y == 0 ? 1 : -last;
                    rows.add(new Row(x, y, first, count, count + last - first + 1));
                    count += last - first + 1;
                }
            }
        }
        weights = new double[count];
        for (Row row : rows) {
            for (int k = row.from; k < row.end; k++) {
                int z = row.z + k - row.from;
                double squared = wave * wave * (row.x * row.x + row.y * row.y + z * z);
                weights[k] = 4 * Math.PI / (edge * edge * edge) * Math.exp(-squared / (4 * split * split)) / squared;
            }
        }
        amplitudes = new double[2 * count];
        cosines = new double[DIMENSIONS][2 * most + 1];
        sines = new double[DIMENSIONS][2 * most + 1];
    }

    /** About how many waves there are, each of which is a term of each atom: half of those in a sphere. */
    static double waves(double edge, double cutoff, double width) {
        double longest = longest(edge, cutoff, width);
        return 2 * Math.PI / 3 * longest * longest * longest;
    }

    private static double longest(double edge, double cutoff, double width) {
        return split(cutoff, width) * width * edge / Math.PI;
    }

    /** Where to split Coulomb's law so that the short-ranged part has vanished at the cut-off. */
    static double split(double cutoff, double width) {
        return width / cutoff;
    }

    /** Adds the forces of all atoms on those of this rank; collective. */
    void add(Atoms atoms) {
        Arrays.fill(amplitudes, 0);
        double squares = 0;
        for (int atom = 0; atom < atoms.own(); atom++) {
            double charge = atoms.positions()[Atoms.STRIDE * atom + 3];
            squares += charge * charge;
            addAmplitudes(atoms.positions(), Atoms.STRIDE * atom);
        }
        world.allreduce(ReduceOp.SUM, amplitudes);
        for (int atom = 0; atom < atoms.own(); atom++) {
            addForce(atoms.positions(), Atoms.STRIDE * atom, atoms.forces());
        }
        energy = -split / Math.sqrt(Math.PI) * squares;
        for (int k = 0; world.rank() == 0 && k < weights.length; k++) {
            energy += weights[k] * (amplitudes[2 * k] * amplitudes[2 * k]
                + amplitudes[2 * k + 1] * amplitudes[2 * k + 1]);
        }
    }

    /** This rank's share of the energy in the last step. */
    double energy() {
        return energy;
    }

    private void addAmplitudes(double[] positions, int at) {
        setWaves(positions, at);
        double charge = positions[at + 3];
        for (Row row : rows) {
            double real = charge * real(row);
            double imaginary = charge * imaginary(row);
            for (int k = row.from, z = most + row.z; k < row.end; k++, z++) {
                amplitudes[2 * k] += real * cosines[2][z] - imaginary * sines[2][z];
                amplitudes[2 * k + 1] += real * sines[2][z] + imaginary * cosines[2][z];
            }
        }
    }

    private void addForce(double[] positions, int at, double[] forces) {
        setWaves(positions, at);
        double factor = 2 * wave * positions[at + 3];
        for (Row row : rows) {
            double real = real(row);
            double imaginary = imaginary(row);
            double sum = 0;
            double sumAlongZ = 0;
            for (int k = row.from, z = most + row.z; k < row.end; k++, z++) {
                double cosine = real * cosines[2][z] - imaginary * sines[2][z];
                double sine = real * sines[2][z] + imaginary * cosines[2][z];
                double force = weights[k] * (amplitudes[2 * k] * sine - amplitudes[2 * k + 1] * cosine);
                sum += force;
                sumAlongZ += force * (z - most);
            }
            forces[at] += factor * sum * row.x;
            forces[at + 1] += factor * sum * row.y;
            forces[at + 2] += factor * sumAlongZ;
        }
    }

    private double real(Row row) {
        return cosines[0][most + row.x] * cosines[1][most + row.y] - sines[0][most + row.x] * sines[1][most + row.y];
    }

    private double imaginary(Row row) {
        return cosines[0][most + row.x] * sines[1][most + row.y] + sines[0][most + row.x] * cosines[1][most + row.y];
    }

    private void setWaves(double[] positions, int at) {
        for (int d = 0; d < DIMENSIONS; d++) {
            double cosine = Math.cos(wave * positions[at + d]);
            double sine = Math.sin(wave * positions[at + d]);
            cosines[d][most] = 1;
            for (int n = most + 1; n <= 2 * most; n++) {
                cosines[d][n] = cosines[d][n - 1] * cosine - sines[d][n - 1] * sine;
                sines[d][n] = cosines[d][n - 1] * sine + sines[d][n - 1] * cosine;
                cosines[d][2 * most - n] = cosines[d][n];
                sines[d][2 * most - n] = -sines[d][n];
            }
        }
    }
}

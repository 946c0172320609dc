package org.tributary.miniapps.md;

/** The same dynamics as plainly as can be: one process, every pair in every step, the nearest image of each. */
final class SerialModel {
    private static final int DIMENSIONS = Configuration.DIMENSIONS;

    private final double edge;
    private final double cutoff;
    private final double timestep;
    private final double[] positions;
    private final double[] velocities;

    SerialModel(Configuration start, double cutoff, double timestep) {
        this.edge = start.edge();
        this.cutoff = cutoff;
        this.timestep = timestep;
        positions = new double[DIMENSIONS * start.atoms()];
        velocities = new double[positions.length];
        for (int i = 0; i < positions.length; i++) {
            positions[i] = start.position(i / DIMENSIONS, i % DIMENSIONS);
            velocities[i] = start.velocity(i / DIMENSIONS, i % DIMENSIONS);
        }
    }

    void run(int steps) {
        double[] forces = forces();
        for (int step = 0; step < steps; step++) {
            for (int i = 0; i < positions.length; i++) {
                velocities[i] += timestep / 2 * forces[i];
                positions[i] += timestep * velocities[i];
            }
            forces = forces();
            for (int i = 0; i < positions.length; i++) {
                velocities[i] += timestep / 2 * forces[i];
            }
        }
    }

    private double[] forces() {
        double[] forces = new double[positions.length];
        double[] apart = new double[DIMENSIONS];
        for (int i = 0; i < positions.length; i += DIMENSIONS) {
            for (int j = 0; j < i; j += DIMENSIONS) {
                double squared = 0;
                for (int d = 0; d < DIMENSIONS; d++) {
                    double difference = positions[i + d] - positions[j + d];
                    apart[d] = difference - edge * Math.rint(difference / edge);
                    squared += apart[d] * apart[d];
                }
                if (squared < cutoff * cutoff) {
                    double sixth = 1 / (squared * squared * squared);
                    double force = 24 * sixth * (2 * sixth - 1) / squared;
                    for (int d = 0; d < DIMENSIONS; d++) {
                        forces[i + d] += force * apart[d];
                        forces[j + d] -= force * apart[d];
                    }
                }
            }
        }
        return forces;
    }

    /** The largest difference of a position or velocity from those of a frame. */
    double difference(Frame frame) {
        double largest = 0;
        for (int i = 0; i < positions.length; i++) {
            double apart = frame.position(i / DIMENSIONS, i % DIMENSIONS) - positions[i];
            largest = Math.max(largest, Math.abs(apart - edge * Math.rint(apart / edge)));
            largest = Math.max(largest, Math.abs(frame.velocity(i / DIMENSIONS, i % DIMENSIONS) - velocities[i]));
        }
        return largest;
    }
}

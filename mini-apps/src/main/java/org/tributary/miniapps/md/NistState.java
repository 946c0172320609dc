package org.tributary.miniapps.md;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.tributary.config.ConfigException;

/**
 * States of the Lennard-Jones fluid that the NIST Standard Reference Simulation Website lists, "MD: NVE molecular
 * dynamics", https://mmlapps.nist.gov/srs/LJ_PURE/md.htm: 500 atoms, velocity Verlet with a time step of 0.005, cut-off
 * 3 with standard long-range corrections, 100 units of time. Its last state, of density 0.9, is left out: there the
 * lattice at the beginning does not melt.
 *
 * @param energy potential energy of an atom
 */
record NistState(double temperature, double density, double energy, double pressure) {
    static final double CUTOFF = 3;

    private static final List<NistState> STATES = List.of(
        new NistState(0.851, 0.776, -5.517, 0.030),
        new NistState(0.853, 0.780, -5.533, 0.072),
        new NistState(0.852, 0.820, -5.803, 0.573),
        new NistState(0.851, 0.840, -5.909, 0.910),
        new NistState(0.849, 0.860, -6.027, 1.282));
    /**
     * How far a mean of 500 atoms over 5000 steps may be from the table, four standard errors. Those of the table are
     * 0.001 and 0.006.
     */
    private static final double ENERGY_LIMIT = 0.04;
    private static final double PRESSURE_LIMIT = 0.12;
    /** How far a mean temperature may be from the table: so far, the equation of state tells what that changes. */
    private static final double TEMPERATURE_LIMIT = 0.06;
    /** How far the one that is wanted may be: a mean differs from that, too. */
    private static final double WANTED_LIMIT = 0.02;

    /** The state of a density, if it is in the table. */
    static Optional<NistState> of(double density) {
        return STATES.stream().filter(state -> state.density == density).findFirst();
    }

    /** All densities of the table. */
    static String densities() {
        return STATES.stream().map(state -> Double.toString(state.density)).collect(Collectors.joining(", "));
    }

    /** The energy of the table, at a temperature close by. */
    double energyAt(double near) {
        return energy + EquationOfState.energy(near, density) - EquationOfState.energy(temperature, density);
    }

    /** The pressure of the table, at a temperature close by. */
    double pressureAt(double near) {
        return pressure + EquationOfState.pressure(near, density) - EquationOfState.pressure(temperature, density);
    }

    /** Refuses a temperature whose means could not be compared. */
    void checkTemperature(double wanted) {
        if (!(Math.abs(wanted - temperature) <= WANTED_LIMIT)) {
            throw new ConfigException(String.format(Locale.ROOT, "NIST's table has the density %s at the temperature"
                + " %s, and --temperature %s is more than %s from it; --temperature %s would fit", density,
                temperature, wanted, WANTED_LIMIT, temperature));
        }
    }

    /** Which means of a run disagree with the table. */
    List<String> wrong(double meanTemperature, double meanEnergy, double meanPressure) {
        List<String> wrong = new ArrayList<>();
        Limit.check(wrong, "NIST's temperature", meanTemperature - temperature, TEMPERATURE_LIMIT);
        Limit.check(wrong, "NIST's energy", meanEnergy - energyAt(meanTemperature), ENERGY_LIMIT);
        Limit.check(wrong, "NIST's pressure", meanPressure - pressureAt(meanTemperature), PRESSURE_LIMIT);
        return wrong;
    }
}

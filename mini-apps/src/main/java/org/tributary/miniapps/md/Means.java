package org.tributary.miniapps.md;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Means of a run, and what is wrong with them. */
final class Means {
    /** How much the energy may change, as a share of the kinetic energy. */
    private static final double DRIFT_LIMIT = 5e-3;
    private static final double MOMENTUM_LIMIT = 1e-9;
    private static final double MADELUNG_LIMIT = 1e-4;

    private final Model model;
    private final double volume;
    private final Sample start;
    private double temperature;
    private double energy;
    private double pressure;
    private double drift;
    private double momentum;
    private double firstTotal = Double.NaN;
    private boolean complete = true;
    private int samples;

    /** {@code start}: the lattice. */
    Means(Model model, double volume, Sample start) {
        this.model = model;
        this.volume = volume;
        this.start = start;
    }

    /** Takes the state before the first step that is measured, whose energy the others have to have. */
    void begin(Sample before) {
        firstTotal = before.total();
    }

    /** Takes a state after such a step. */
    void add(Sample sample) {
        samples++;
        temperature += sample.temperature();
        energy += sample.energy(model.cutoff(), volume);
        pressure += sample.pressure(model.cutoff(), volume);
        drift = Math.max(drift, Math.abs(sample.total() - firstTotal) / model.atoms());
        momentum = Math.max(momentum, sample.momentum() / model.atoms());
        double numbers = model.atoms() * (model.atoms() - 1.0) / 2;
        complete &= sample.atoms() == model.atoms() && sample.numbers() == numbers;
    }

    double temperature() {
        return temperature / samples;
    }

    /** Potential energy of an atom. */
    double energy() {
        return energy / samples;
    }

    double pressure() {
        return pressure / samples;
    }

    /** The largest change of the energy of an atom. */
    double drift() {
        return drift;
    }

    /** The largest momentum, divided by the number of atoms. */
    double momentum() {
        return momentum;
    }

    /** Relative error of the energy of the charges on the lattice, if there are any. */
    Optional<Double> madelungError() {
        double expected = model.madelungEnergy();
        return expected == 0 ? Optional.empty() : Optional.of(Math.abs(start.electric() / expected - 1));
    }

    /** What is not as it should be, and by how much it may differ; empty if all is right. */
    List<String> wrong() {
        List<String> wrong = new ArrayList<>();
        if (!complete) {
            wrong.add("atoms are missing, or there more than once");
        }
        double mostDrift = DRIFT_LIMIT * Configuration.DIMENSIONS * model.temperature() / 2;
        Limit.check(wrong, "energy of an atom", drift, mostDrift);
        Limit.check(wrong, "momentum", momentum, MOMENTUM_LIMIT);
        madelungError().ifPresent(error -> Limit.check(wrong, "Madelung's constant", error, MADELUNG_LIMIT));
        model.nist().ifPresent(state -> wrong.addAll(state.wrong(temperature(), energy(), pressure())));
        return wrong;
    }
}

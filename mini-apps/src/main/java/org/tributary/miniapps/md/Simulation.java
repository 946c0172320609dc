package org.tributary.miniapps.md;

import java.util.Arrays;
import org.tributary.client.Gas;
import org.tributary.miniapps.exchange.ExchangeOptions;
import org.tributary.miniapps.exchange.Neighbourhood;
import org.tributary.miniapps.exchange.ProcessGrid;
import org.tributary.wire.shape.ReduceOp;

/**
 * Atoms that move by Newton's law: velocity Verlet, with neighbour lists that hold pairs a little farther apart than
 * the cut-off. As soon as an atom may have crossed half of that little, atoms change ranks and lists are made anew.
 */
final class Simulation implements AutoCloseable {
    private static final double HALF = 0.5;

    private final Gas gas;
    private final Parameters parameters;
    private final double shiftAtCutoff;
    private final Atoms atoms = new Atoms();
    private final AtomExchange exchange;
    private final NeighbourLists lists;
    private final PairForces pairForces;
    /** Null without charges. */
    private final Ewald ewald;
    private double[] listed = new double[0];
    private int rebuilds;

    /**
     * Parameters of a simulation.
     *
     * @param skin  how much farther than the cut-off neighbour lists reach
     * @param width of the Ewald sum, or 0 if there are no charges
     */
    record Parameters(double timestep, double cutoff, double skin, double width) {
    }

    /** Takes over this rank's atoms, and finds the first forces; collective. */
    Simulation(Gas gas, ExchangeOptions options, ProcessGrid grid, Configuration start, Parameters parameters) {
        this.gas = gas;
        this.parameters = parameters;
        shiftAtCutoff = PairForces.potential(parameters.cutoff);
        Brick brick = new Brick(grid, gas.rank(), start.edge(), parameters.cutoff + parameters.skin);
        boolean charged = parameters.width > 0;
        ewald = charged ? new Ewald(gas.world(), start.edge(), parameters.cutoff, parameters.width) : null;
        pairForces = new PairForces(parameters.cutoff, charged
            ? new ShortRange(Ewald.split(parameters.cutoff, parameters.width), parameters.cutoff) : null);
        lists = new NeighbourLists(brick);
        for (int atom = 0; atom < start.atoms(); atom++) {
            double x = wrap(start.position(atom, 0), start.edge());
            double y = wrap(start.position(atom, 1), start.edge());
            double z = wrap(start.position(atom, 2), start.edge());
            if (brick.side(x, 0) == 0 && brick.side(y, 1) == 0 && brick.side(z, 2) == 0) {
                atoms.add(atom, x, y, z, start.charge(atom), start.velocity(atom, 0), start.velocity(atom, 1),
                    start.velocity(atom, 2));
            }
        }
        exchange = new AtomExchange(gas, options, Neighbourhood.all(grid, gas.rank()), brick, start);
        rebuild();
        findForces(true, true);
    }

    private static double wrap(double position, double edge) {
        double inside = position - edge * Math.floor(position / edge);
        return inside < edge ? inside : 0; // a tiny negative position is rounded to the edge
    }

    /** One step; every rank makes it. {@code summing}: whether a sample will be wanted after it. */
    void step(boolean summing) {
        kick();
        drift();
        boolean anew = gas.world().allreduce(ReduceOp.MAX, farthestSquared())
            > parameters.skin * parameters.skin * HALF * HALF;
        if (anew) {
            exchange.migrate(atoms);
            rebuild();
        }
        findForces(anew, summing);
        kick();
    }

    private void kick() {
        double[] velocities = atoms.velocities();
        double[] forces = atoms.forces();
        for (int i = 0; i < Atoms.STRIDE * atoms.own(); i++) {
            velocities[i] += HALF * parameters.timestep * forces[i];
        }
    }

    private void drift() {
        double[] positions = atoms.positions();
        double[] velocities = atoms.velocities();
        for (int i = 0; i < Atoms.STRIDE * atoms.own(); i++) {
            positions[i] += parameters.timestep * velocities[i]; // the fourth velocity is 0, and the charge stays
        }
    }

    /** How far an atom of this rank has come since the lists were made, squared. */
    private double farthestSquared() {
        double[] positions = atoms.positions();
        double farthest = 0;
        for (int at = 0; at < Atoms.STRIDE * atoms.own(); at += Atoms.STRIDE) {
            double dx = positions[at] - listed[at];
            double dy = positions[at + 1] - listed[at + 1];
            double dz = positions[at + 2] - listed[at + 2];
            farthest = Math.max(farthest, dx * dx + dy * dy + dz * dz);
        }
        return farthest;
    }

    private void rebuild() {
        atoms.dropGhosts();
        lists.sort(atoms);
        exchange.shareGhosts(atoms);
        lists.build(atoms);
        listed = Arrays.copyOf(atoms.positions(), Atoms.STRIDE * atoms.own());
        rebuilds++;
    }

    /** Forces between atoms of this rank while the positions of ghosts are on their way, unless they are there. */
    private void findForces(boolean haveGhosts, boolean summing) {
        atoms.clearForces();
        pairForces.clear();
        if (!haveGhosts) {
            exchange.beginUpdate(atoms);
        }
        pairForces.add(atoms, lists.own(), 1, summing);
        if (!haveGhosts) {
            exchange.endUpdate(atoms);
        }
        pairForces.add(atoms, lists.ghost(), HALF, summing);
        if (ewald != null) {
            ewald.add(atoms);
        }
    }

    /** The system after a step that has been summed; collective. */
    Sample sample() {
        double[] velocities = atoms.velocities();
        double[] momentum = new double[Atoms.STRIDE];
        double squares = 0;
        double numbers = 0;
        for (int i = 0; i < Atoms.STRIDE * atoms.own(); i++) {
            momentum[i % Atoms.STRIDE] += velocities[i];
            squares += velocities[i] * velocities[i];
            numbers += i % Atoms.STRIDE == 0 ? atoms.numbers()[i / Atoms.STRIDE] : 0;
        }
        double electric = ewald == null ? 0 : pairForces.electric() + ewald.energy();
        double[] sums = {atoms.own(), numbers, momentum[0], momentum[1], momentum[2], squares / 2,
            pairForces.lennardJones(), pairForces.pairs(), electric, pairForces.virial()};
        gas.world().allreduce(ReduceOp.SUM, sums);
        return new Sample(sums[0], sums[1], Math.max(Math.max(Math.abs(sums[2]), Math.abs(sums[3])),
            Math.abs(sums[4])), sums[5], sums[6], sums[6] - shiftAtCutoff * sums[7], sums[8], sums[9] + sums[8]);
    }

    /** Multiplies all velocities. */
    void scale(double factor) {
        double[] velocities = atoms.velocities();
        for (int i = 0; i < Atoms.STRIDE * atoms.own(); i++) {
            velocities[i] *= factor;
        }
    }

    /** How often lists have been made. */
    int rebuilds() {
        return rebuilds;
    }

    /** This rank's atoms, and ghosts. */
    Atoms atoms() {
        return atoms;
    }

    /** Collective. */
    @Override
    public void close() {
        exchange.close();
    }
}

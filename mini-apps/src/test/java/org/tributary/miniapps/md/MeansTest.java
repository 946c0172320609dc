package org.tributary.miniapps.md;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** States of 500 atoms, or 512 ions, as they should be, but for one thing at a time. */
class MeansTest {
    private static final String NIST = "--atoms 500 --nist --equilibration 2000 --steps 5000";
    private static final String CHARGED = "--system charged";
    private static final double VOLUME = 500 / 0.84;
    private static final double KINETIC = 3 * 499 * 0.851 / 2;

    private static Model model(String arguments) {
        Model model = new Model();
        CommandSpec spec = CommandSpec.create().addMixin("model", CommandSpec.forAnnotatedObject(model));
        new CommandLine(spec).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments.split(" "));
        model.check(1);
        return model;
    }

    private static Sample state(double atoms, double numbers, double momentum, double kinetic, double lennardJones,
        double shifted, double virial) {
        return new Sample(atoms, numbers, momentum, kinetic, lennardJones, shifted, 0, virial);
    }

    /** What is wrong after one step, which begins with a sum of kinetic and potential energy of 0. */
    private static List<String> wrong(Sample after) {
        Means means = new Means(model(NIST), VOLUME, after);
        means.begin(state(500, 500 * 499 / 2.0, 0, 1, 0, -1, 0));
        means.add(after);
        return means.wrong();
    }

    /** Energy and pressure of NIST's state, but for what the fluid beyond the cut-off adds. */
    private static double energy() {
        return 500 * (-5.909 - state(500, 0, 0, 0, 0, 0, 0).energy(3, VOLUME));
    }

    private static double virial() {
        return 3 * VOLUME * (0.910 - state(500, 0, 0, KINETIC, 0, 0, 0).pressure(3, VOLUME));
    }

    @Test
    void shouldFindNothingWrongWhenAllIsRight() {
        assertEquals(List.of(), wrong(state(500, 124_750, 0, KINETIC, energy(), -KINETIC, virial())));
    }

    @Test
    void shouldNameTheOneThingThatIsWrong() {
        double hotter = KINETIC * (0.851 + 0.061) / 0.851;
        assertEquals(List.of("atoms are missing, or there more than once"),
            wrong(state(500, 124_749, 0, KINETIC, energy(), -KINETIC, virial())));
        assertEquals(List.of("energy of an atom, limit 6.4e-03"),
            wrong(state(500, 124_750, 0, KINETIC, energy(), -KINETIC + 3.2, virial())));
        assertEquals(List.of("momentum, limit 1.0e-09"),
            wrong(state(500, 124_750, 1e-6, KINETIC, energy(), -KINETIC, virial())));
        assertEquals(List.of("NIST's energy, limit 4.0e-02"),
            wrong(state(500, 124_750, 0, KINETIC, energy() + 500 * 0.041, -KINETIC, virial())));
        assertEquals(List.of("NIST's pressure, limit 1.2e-01"),
            wrong(state(500, 124_750, 0, KINETIC, energy(), -KINETIC, virial() - 3 * VOLUME * 0.121)));
        assertTrue(wrong(state(500, 124_750, 0, hotter, energy(), -hotter, virial()))
            .contains("NIST's temperature, limit 6.0e-02"));
    }

    @Test
    void shouldNameAllThatIsWrongWhenNumbersAreNone() {
        assertEquals(5, wrong(state(500, 124_750, Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN)).size());
    }

    @Test
    void shouldNameMadelungsConstantWhenItIsWrong() {
        Model model = model(CHARGED);
        for (double factor : new double[] {1, 1.0002}) {
            Sample ions = new Sample(512, 512 * 511 / 2.0, 0, 1, 0, 0, factor * model.madelungEnergy(), 0);
            Means means = new Means(model, 512 / 0.84, ions);
            means.begin(ions);
            means.add(ions);
            assertEquals(factor == 1 ? List.of() : List.of("Madelung's constant, limit 1.0e-04"), means.wrong());
            assertFalse(means.madelungError().isEmpty());
        }
    }
}

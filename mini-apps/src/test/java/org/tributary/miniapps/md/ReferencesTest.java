package org.tributary.miniapps.md;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Formulas and tables that runs are compared with, and the function that splits Coulomb's law. */
class ReferencesTest {
    private static final double SMALL = 1e-4;

    /** Energy and pressure are derivatives of one free energy. */
    @ParameterizedTest
    @CsvSource({"0.85, 0.84", "1.3, 0.3", "2.7, 1", "0.9, 0.005"})
    void shouldHaveEnergyAndPressureThatBelongTogether(double temperature, double density) {
        double energySlope = (EquationOfState.energy(temperature, density + SMALL)
            - EquationOfState.energy(temperature, density - SMALL)) / (2 * SMALL);
        double pressureSlope = (EquationOfState.pressure(temperature + SMALL, density)
            - EquationOfState.pressure(temperature - SMALL, density)) / (2 * SMALL);
        double pressure = EquationOfState.pressure(temperature, density);
        assertEquals((pressure - temperature * pressureSlope) / (density * density), energySlope, 1e-3);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.776, 0.78, 0.82, 0.84, 0.86})
    void shouldAgreeWithTheTableOfNist(double density) {
        NistState state = NistState.of(density).orElseThrow();
        assertEquals(state.energy(), EquationOfState.energy(state.temperature(), density), 0.03);
        assertEquals(state.pressure(), EquationOfState.pressure(state.temperature(), density), 0.08);
    }

    @Test
    void shouldJudgeMeansByTheTable() {
        NistState state = NistState.of(0.84).orElseThrow();
        assertEquals(List.of(), state.wrong(0.851, -5.909, 0.91));
        assertEquals(List.of(), state.wrong(0.87, state.energyAt(0.87), state.pressureAt(0.87)));
        assertTrue(state.energyAt(0.87) > -5.9, () -> "energy " + state.energyAt(0.87));
        assertFalse(state.wrong(0.851, -5.86, 0.91).isEmpty());
        assertFalse(state.wrong(0.851, -5.909, 1.04).isEmpty());
        assertFalse(state.wrong(0.95, state.energyAt(0.95), state.pressureAt(0.95)).isEmpty());
        assertFalse(state.wrong(0.851, Double.NaN, 0.91).isEmpty());
    }

    /** M. Abramowitz, I. Stegun, table 7.1. */
    @ParameterizedTest
    @CsvSource({"0, 1", "0.5, 0.4795001222", "1, 0.1572992071", "1.9, 0.0072095708", "2, 0.0046777350"})
    void shouldComputeTheErrorFunction(double x, double expected) {
        assertEquals(expected, ShortRange.erfc(x), 1e-10);
    }

    @Test
    void shouldInterpolateTheShortRangedPart() {
        ShortRange table = new ShortRange(1.2, 3);
        for (double distance = 0.6; distance < 3; distance += 0.0137) {
            double energy = ShortRange.erfc(1.2 * distance) / distance;
            double force = (energy + 2.4 / Math.sqrt(Math.PI) * Math.exp(-1.44 * distance * distance))
                / (distance * distance);
            assertEquals(energy, table.energy(distance * distance), 1e-10);
            assertEquals(force, table.force(distance * distance), 1e-7);
        }
    }
}

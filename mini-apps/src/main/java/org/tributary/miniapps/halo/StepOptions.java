package org.tributary.miniapps.halo;

import org.tributary.config.ConfigException;
import org.tributary.config.EnumText;
import org.tributary.miniapps.exchange.ExchangeOptions;
import org.tributary.miniapps.exchange.Synchronization;
import picocli.CommandLine.Option;

/** Options of programs that exchange messages with neighbours step by step. */
final class StepOptions extends ExchangeOptions {
    /** When a program compares what it has with what it should have. */
    enum Verification {
        /** Every ghost cell in every step, and the end. */
        STEPS,
        /** After the last step. */
        END,
        OFF;

        @Override
        public String toString() {
            return EnumText.underscored(this);
        }
    }

    @Option(names = "--steps", paramLabel = "COUNT", defaultValue = "200",
        description = "Steps that are timed (default: ${DEFAULT-VALUE}).")
    private int steps;

    @Option(names = "--warmup", paramLabel = "COUNT", defaultValue = "20",
        description = "Steps before those (default: ${DEFAULT-VALUE}).")
    private int warmup;

    @Option(names = "--verify", paramLabel = "WHEN", arity = "0..1", defaultValue = "end", fallbackValue = "steps",
        description = "What is compared with a serial model: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE};"
            + " ${FALLBACK-VALUE} when nothing follows). 'steps' is every ghost cell in every step.")
    private Verification verification;

    StepOptions() {
        super(Synchronization.FENCE);
    }

    @Override
    public void check() {
        super.check();
        if (steps < 1 || warmup < 0) {
            throw new ConfigException("--steps must be positive, --warmup not negative: " + steps + ", " + warmup);
        }
        if (warmup > Integer.MAX_VALUE - steps) {
            throw new ConfigException("--steps and --warmup together must be " + Integer.MAX_VALUE + " at most: "
                + steps + ", " + warmup);
        }
    }

    int warmup() {
        return warmup;
    }

    /** All steps, warm-up included. */
    int allSteps() {
        return warmup + steps;
    }

    Verification verification() {
        return verification;
    }
}

package org.tributary.miniapps.halo;

import java.util.Locale;
import org.tributary.client.Gas;
import org.tributary.miniapps.exchange.Design;
import org.tributary.miniapps.exchange.Exchange;
import org.tributary.miniapps.exchange.Neighbourhood;
import org.tributary.miniapps.exchange.Synchronization;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options of programs that exchange messages with neighbours step by step. */
final class StepOptions {
    /** When a program compares what it has with what it should have. */
    enum Verification {
        /** Every ghost cell in every step, and the end. */
        STEPS,
        /** After the last step. */
        END,
        OFF;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--sync", paramLabel = "SYNC", defaultValue = "fence",
        description = "Synchronization: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}). The last is put and"
            + " notify without a window, the baseline.")
    private Synchronization synchronization;

    @Option(names = "--design", paramLabel = "DESIGN", defaultValue = "auto",
        description = "Design of the synchronization: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}). Plain"
            + " immediate is for pscw and lock, the others that begin so are for fence.")
    private Design design;

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

    /** Refuses what does not fit together. */
    void check() {
        if (!synchronization.designs().contains(design)) {
            throw refuse("--sync " + synchronization + " has no --design " + design + ", only "
                + synchronization.designs());
        }
        if (steps < 1 || warmup < 0) {
            throw refuse("--steps must be positive, --warmup not negative: " + steps + ", " + warmup);
        }
    }

    /** What says that the command line is wrong. */
    ParameterException refuse(String problem) {
        return new ParameterException(spec.commandLine(), problem);
    }

    Exchange open(Gas gas, Neighbourhood neighbourhood, long... bytes) {
        return synchronization.open(gas, neighbourhood, design, bytes);
    }

    int warmup() {
        return warmup;
    }

    /** All steps, warm-up included. */
    int allSteps() {
        return Math.addExact(warmup, steps);
    }

    Verification verification() {
        return verification;
    }

    /** For example {@code fence deferred}. */
    @Override
    public String toString() {
        return synchronization.designs().size() == 1 ? synchronization.toString() : synchronization + " " + design;
    }
}

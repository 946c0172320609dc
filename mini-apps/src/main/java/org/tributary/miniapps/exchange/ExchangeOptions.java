package org.tributary.miniapps.exchange;

import java.util.Optional;
import org.tributary.client.Gas;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options of programs that exchange messages with neighbours: how they synchronize. Used as a mixin. */
public class ExchangeOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--sync", paramLabel = "SYNC",
        description = "Synchronization: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}). The last two are"
            + " without a window: put and notify, which is the baseline, and notify and get.")
    private Synchronization synchronization;

    @Option(names = "--design", paramLabel = "DESIGN", defaultValue = "auto",
        description = "Design of the synchronization: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}). Plain"
            + " immediate is for pscw and lock, the others that begin so are for fence.")
    private Design design;

    /** Options whose {@code --sync} is this unless another is given. */
    public ExchangeOptions(Synchronization synchronization) {
        this.synchronization = synchronization;
    }

    /**
     * Refuses what does not fit together.
     *
     * @throws ParameterException when the synchronization has no such design
     */
    public void check() {
        problem().ifPresent(problem -> {
            throw refuse(problem);
        });
    }

    /** The problem of a design that the synchronization does not have; empty when they fit together. */
    public final Optional<String> problem() {
        return synchronization.designs().contains(design) ? Optional.empty() : Optional.of("--sync " + synchronization
            + " has no --design " + design + ", only " + synchronization.designs());
    }

    /** The exception for a wrong command line. */
    public final ParameterException refuse(String problem) {
        return new ParameterException(spec.commandLine(), problem);
    }

    /** Makes an exchange of messages of these lengths, one for each direction; collective. */
    public final Exchange open(Gas gas, Neighbourhood neighbourhood, long... bytes) {
        return synchronization.open(gas, neighbourhood, design, bytes);
    }

    /** For example {@code fence deferred}. */
    @Override
    public final String toString() {
        return synchronization.designs().size() == 1 ? synchronization.toString() : synchronization + " " + design;
    }
}

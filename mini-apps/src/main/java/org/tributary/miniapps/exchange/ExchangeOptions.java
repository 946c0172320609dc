package org.tributary.miniapps.exchange;

import org.tributary.client.Gas;
import org.tributary.config.ConfigException;
import picocli.CommandLine.Option;

/** Options of programs that exchange messages with neighbours: how they synchronize. Used as a mixin. */
public class ExchangeOptions {
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
     * Refuses options that do not fit together.
     *
     * @throws ConfigException when the synchronization has no such design
     */
    public void check() {
        if (!synchronization.designs().contains(design)) {
            throw new ConfigException("--sync " + synchronization + " has no --design " + design + ", only "
                + synchronization.designs());
        }
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

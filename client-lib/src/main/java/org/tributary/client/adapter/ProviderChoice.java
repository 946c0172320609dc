package org.tributary.client.adapter;

import java.util.Optional;
import org.tributary.client.connection.ServerLink;
import org.tributary.client.error.AttachException;
import org.tributary.config.EnumText;
import org.tributary.config.JobEnvironment;
import org.tributary.config.Settings;
import org.tributary.fabric.FabricChoice;
import org.tributary.fabric.FabricException;
import org.tributary.fabric.Provider;

/** Which provider moves data of a rank. */
public final class ProviderChoice {
    private ProviderChoice() {
    }

    /**
     * The provider that moves data of a rank, if any.
     *
     * @throws AttachException when that of {@code network.fabric} is not there, or lacks something
     */
    public static Optional<Provider> of(JobEnvironment job, Settings settings) {
        try {
            return settings.usesFabric(job.topology().nodeCount()) ? choose(settings, null) : Optional.empty();
        } catch (FabricException e) {
            throw new AttachException("rank " + job.rank() + ": " + e.getMessage(), e);
        }
    }

    private static Optional<Provider> choose(Settings settings, String host) {
        return FabricChoice.choose(EnumText.underscored(settings.networkFabric()), host).provider();
    }

    /** Opens it on the interface of a connection; null, and says why, when that fails. */
    static Opened open(int rank, Settings settings, ServerLink link) {
        try {
            return choose(settings, link.ends().here().getHostAddress()).map(Opened::new).orElse(null);
        } catch (FabricException e) {
            System.err.println("tributary: rank " + rank + " cannot use network.fabric = "
                + EnumText.underscored(settings.networkFabric()) + ", so messages carry all data: " + e.getMessage());
            return null;
        }
    }
}

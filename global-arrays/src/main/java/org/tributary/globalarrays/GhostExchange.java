package org.tributary.globalarrays;

import java.util.List;
import org.tributary.client.Gas;
import org.tributary.client.remote.Handle;
import org.tributary.globalarrays.distribution.GhostRegions;

/**
 * Fills the ghost cells of this rank: all boxes of them are read at once, directly into their places, so the time is
 * about that of one get. The sections of other nodes come strided; no owner takes part. Used by one thread at a time.
 */
record GhostExchange(Gas gas, PatchTransfer patches, List<GhostRegions.Region> regions) {
    /** Reads all ghost cells of the own block and waits for them; the caller synchronizes before and after. */
    void read(Block own) {
        Handle handle = gas.handle();
        for (GhostRegions.Region region : regions) {
            PatchTransfer.Local cells = new PatchTransfer.Local(own.segment(), own.offset(region.cells().lo()),
                own.strides());
            patches.start(PatchTransfer.Operation.GET, handle, region.source(), cells, null);
        }
        handle.await();
    }
}

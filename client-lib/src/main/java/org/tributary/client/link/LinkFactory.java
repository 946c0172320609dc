package org.tributary.client.link;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.List;
import org.tributary.client.connection.LinkSets;
import org.tributary.client.connection.ServerLink;
import org.tributary.client.connection.Transport;
import org.tributary.client.error.AttachException;
import org.tributary.config.Settings;
import org.tributary.wire.Frames;

/**
 * Makes links of connections that have been admitted. Guarded by the lock of {@link Links}.
 *
 * @param all            to which links are added
 * @param readiness      watches them
 * @param arena          for their buffers
 * @param deferredSender sends what they leave for later
 * @param maxRouted      largest payload that servers pass on
 */
record LinkFactory(ServerLink.Owner owner, LinkSets<ServerLink> sets, List<ServerLink> all, Readiness readiness,
    Settings settings, Arena arena, JobFailure failure, Thread deferredSender, int rank, int maxRouted)
    implements Router.Adopter {
    @Override
    public ServerLink adopt(int node, Connector.Admitted admitted, ServerLink retired) {
        ServerLink link = null;
        try {
            link = link(node, admitted, retired);
            link.watchHost(settings.connectionSilenceTimeoutNs());
            readiness.watch(link, admitted.transport());
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            giveUp(link, admitted.transport());
            throw new AttachException("the connection to node " + node + " cannot be used: " + e, e);
        }
        int place = retired == null ? -1 : all.indexOf(retired);
        if (place < 0) {
            all.add(link);
        } else {
            all.set(place, link); // no walk through the links misses one
        }
        return link;
    }

    /** The server would take an end without a goodbye for that of the rank. */
    private static void giveUp(ServerLink link, Transport transport) {
        if (link != null) {
            link.trySayGoodbye(Frames.NO_RANK, () -> { });
            link.close();
            return;
        }
        try {
            transport.close();
        } catch (IOException ignored) {
            // It is of no use, closed or not.
        }
    }

    private ServerLink link(int node, Connector.Admitted admitted, ServerLink retired) {
        return new ServerLink(owner, sets, node, admitted.transport(), admitted.maxPayload(), maxRouted, settings,
            retired != null ? retired.memory() : arena.allocate(ServerLink.memoryBytes(settings)), deferredSender);
    }

    @Override
    public void turnAway(int node, Connector.Admitted admitted, boolean isDirect) {
        ServerLink link = link(node, admitted, null);
        if (!failure.hasFailed()) {
            link.trySayGoodbye(isDirect ? Frames.NO_RANK : rank, () -> { });
        }
        link.close();
    }
}

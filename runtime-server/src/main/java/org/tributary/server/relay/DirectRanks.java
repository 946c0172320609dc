package org.tributary.server.relay;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.tributary.cooperation.CooperationOptions;
import org.tributary.cooperation.DirectAdmission;

/**
 * Ranks of other nodes that have a connection for this node alone, besides their route. They go back to their route
 * when too many connections bring requests in one turn. Owned by the event loop.
 */
public final class DirectRanks {
    private final DirectAdmission admission;
    private final Set<Source> sources = Collections.newSetFromMap(new IdentityHashMap<>());
    private int served;

    DirectRanks(CooperationOptions options) {
        this.admission = new DirectAdmission(options);
    }

    /** Whether one more rank may have such a connection; it is counted then, until {@link #closed}. */
    public boolean admit() {
        return admission.admit();
    }

    /** Such a rank has been admitted. */
    public void opened(Source source) {
        sources.add(source);
    }

    public void closed(Source source) {
        sources.remove(source);
        admission.closed();
    }

    int admitted() {
        return admission.admitted();
    }

    /** Requests of one more connection have been executed in this turn. */
    void served() {
        served++;
    }

    /** The turn ends: sends the ranks back to their routes when too many connections have come at once. */
    void endTurn() {
        if (served > 0) {
            admission.turn(served);
            served = 0;
        }
        if (!sources.isEmpty() && admission.isContended()) {
            for (Source source : sources) {
                source.replies().takeRoute();
                source.replies().flush();
            }
            sources.clear(); // told once; they come again as new connections
        }
    }
}

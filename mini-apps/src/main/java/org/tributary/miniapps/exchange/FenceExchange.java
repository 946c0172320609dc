package org.tributary.miniapps.exchange;

import org.tributary.client.window.Assertion;
import org.tributary.client.window.Window;

/**
 * Two fences a step with the assertions of figure 3 of R. Thakur, W. Gropp, B. Toonen, "Minimizing Synchronization
 * Overhead in the Implementation of MPI One-Sided Communication" (2004): nothing precedes the first, nothing follows
 * the second, and nobody stores into the window otherwise. The first keeps messages out until the last ones have been
 * read.
 */
final class FenceExchange extends WindowExchange {
    FenceExchange(Neighbourhood neighbourhood, Slots slots, Window window) {
        super(neighbourhood, slots, 1, window, window::fenceChoice);
    }

    @Override
    public void issue() {
        window().fence(Assertion.NOPRECEDE);
        putAll();
    }

    @Override
    public void finish() {
        window().fence(Assertion.NOSTORE, Assertion.NOPUT, Assertion.NOSUCCEED);
        advance();
    }
}

package org.tributary.miniapps.exchange;

import org.tributary.client.window.Assertion;
import org.tributary.client.window.Window;

/**
 * Post, start, complete and wait with the neighbours. A post says that the messages of the step before have been read,
 * so one buffer is enough.
 */
final class PscwExchange extends WindowExchange {
    PscwExchange(Neighbourhood neighbourhood, Slots slots, Window window) {
        super(neighbourhood, slots, 1, window, window::exposureChoice);
    }

    @Override
    public void issue() {
        window().post(others(), Assertion.NOSTORE);
        window().start(others());
        putAll();
    }

    @Override
    public void finish() {
        window().complete();
        window().await();
        advance();
    }
}

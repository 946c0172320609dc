package org.tributary.miniapps.exchange;

import org.tributary.client.Gas;
import org.tributary.client.window.LockMode;
import org.tributary.client.window.Window;

/**
 * A shared lock on each neighbour, its messages, unlock. After an unlock the messages are there, but the neighbour, who
 * took no part, has to be told: by a notification. Two buffers, used in turn, for the reason that
 * {@link MailboxExchange} gives.
 */
final class LockExchange extends WindowExchange {
    static final int BUFFERS = 2;

    private final Gas gas;

    LockExchange(Gas gas, Neighbourhood neighbourhood, Slots slots, Window window) {
        super(neighbourhood, slots, BUFFERS, window, window::lockChoice);
        this.gas = gas;
    }

    @Override
    public void issue() {
        for (int other = 0; other < others().length; other++) {
            window().lock(LockMode.SHARED, others()[other]);
            putTo(other);
        }
    }

    @Override
    public void finish() {
        for (int other : others()) {
            window().unlock(other);
            if (other != self()) {
                gas.notify(other);
            }
        }
        for (int other : others()) {
            if (other != self()) {
                gas.waitNotify(other);
            }
        }
        advance();
    }
}

package org.tributary.miniapps.exchange;

import org.tributary.client.Gas;
import org.tributary.client.window.Window;

/**
 * Shared locks on all neighbours, their messages, unlock. After an unlock the messages are there, but the neighbour,
 * who took no part, has to be told: by a notification. Two buffers, used in turn, for the reason that {@link
 * MailboxExchange} gives.
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
        window().lockAll();
        for (int other = 0; other < others().length; other++) {
            putTo(other);
        }
    }

    @Override
    public void finish() {
        window().unlockAll();
        for (int other : others()) {
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

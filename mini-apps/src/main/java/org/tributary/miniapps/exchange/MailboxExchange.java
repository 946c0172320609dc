package org.tributary.miniapps.exchange;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.remote.Handle;

/**
 * The baseline without windows, as a program would send and receive: a put into a mailbox at the neighbour, and a
 * notification. One message of data and one short one for each neighbour, nothing else.
 *
 * <p>Mailboxes have two slots, used in turn, and need no credits: a rank sends step s + 2 only after it has received
 * step s + 1 of that neighbour, which the neighbour sent after it had read step s.
 */
final class MailboxExchange extends BufferedExchange {
    private static final int BUFFERS = 2;

    private final Gas gas;
    private final GlobalMemory memory;
    private final Handle handle;

    private MailboxExchange(Gas gas, Neighbourhood neighbourhood, Slots slots, GlobalMemory memory) {
        super(neighbourhood, slots, BUFFERS, memory.local());
        this.gas = gas;
        this.memory = memory;
        handle = gas.handle();
    }

    static Exchange open(Gas gas, Neighbourhood neighbourhood, Slots slots) {
        return new MailboxExchange(gas, neighbourhood, slots, gas.allocate(BUFFERS * slots.total()));
    }

    @Override
    public void issue() {
        for (int other = 0; other < others().length; other++) {
            putTo(other);
            if (others()[other] != self()) {
                gas.notify(others()[other]);
            }
        }
    }

    @Override
    void put(int rank, long offset, MemorySegment from, long fromOffset, long length) {
        memory.nbPut(handle, rank, offset, from, fromOffset, length);
    }

    @Override
    public void finish() {
        handle.await();
        for (int other : others()) {
            if (other != self()) {
                gas.waitNotify(other);
            }
        }
        advance();
    }

    @Override
    public Optional<String> choice() {
        return Optional.empty();
    }

    @Override
    public void close() {
        memory.close();
        super.close();
    }
}

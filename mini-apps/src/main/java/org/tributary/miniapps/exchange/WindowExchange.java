package org.tributary.miniapps.exchange;

import java.lang.foreign.MemorySegment;
import org.tributary.client.window.Window;

/** Messages are put into a window. */
abstract class WindowExchange extends BufferedExchange {
    private final Window window;

    WindowExchange(Neighbourhood neighbourhood, Slots slots, int buffers, Window window) {
        super(neighbourhood, slots, buffers, window.local());
        this.window = window;
    }

    final Window window() {
        return window;
    }

    @Override
    final void put(int rank, long offset, MemorySegment from, long fromOffset, long length) {
        window.put(rank, offset, from, fromOffset, length);
    }

    @Override
    public final String explanation() {
        return window.choice().toString();
    }

    @Override
    public final void close() {
        window.close();
        super.close();
    }
}

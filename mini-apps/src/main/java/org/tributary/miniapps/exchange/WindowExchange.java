package org.tributary.miniapps.exchange;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.function.Supplier;
import org.tributary.client.window.Choice;
import org.tributary.client.window.Window;

/** Messages are put into a window. */
abstract class WindowExchange extends BufferedExchange {
    private final Window window;
    private final Supplier<Choice> choice;

    /** {@code choice}: what the window has chosen for this kind of synchronization. */
    WindowExchange(Neighbourhood neighbourhood, Slots slots, int buffers, Window window, Supplier<Choice> choice) {
        super(neighbourhood, slots, buffers, window.local());
        this.window = window;
        this.choice = choice;
    }

    final Window window() {
        return window;
    }

    @Override
    final void put(int rank, long offset, MemorySegment from, long fromOffset, long length) {
        window.put(rank, offset, from, fromOffset, length);
    }

    @Override
    public final Optional<String> choice() {
        return Optional.ofNullable(choice.get()).map(Choice::toString);
    }

    @Override
    public final void close() {
        window.close();
        super.close();
    }
}

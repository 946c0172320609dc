package org.tributary.benchmarks.windows;

import java.util.Arrays;
import java.util.List;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.Group;
import org.tributary.client.window.EpochDesign;
import org.tributary.client.window.FenceDesign;
import org.tributary.client.window.Window;
import org.tributary.client.window.WindowOptions;

/** A window for each design of fences, all over the same memory. */
final class FenceWindows implements AutoCloseable {
    private final GlobalMemory memory;
    private final List<Window> windows;

    /** With {@code bytes} of memory on this member; collective over the group. */
    FenceWindows(Gas gas, Group group, long bytes) {
        memory = gas.allocate(group, bytes);
        windows = Arrays.stream(FenceDesign.values()).map(design -> open(gas, group, bytes, design)).toList();
        windows.forEach(window -> window.fence()); // opens the first epoch
    }

    private Window open(Gas gas, Group group, long bytes, FenceDesign design) {
        return Window.create(gas, group, memory, 0, bytes, 1,
            new WindowOptions(design, EpochDesign.IMMEDIATE, EpochDesign.IMMEDIATE, false));
    }

    /** The designs, in the order of {@link #all}. */
    static List<FenceDesign> designs() {
        return List.of(FenceDesign.values());
    }

    List<Window> all() {
        return windows;
    }

    /** Collective. */
    @Override
    public void close() {
        windows.forEach(Window::close);
        memory.close();
    }
}

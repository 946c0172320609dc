package org.tributary.benchmarks.windows;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.tributary.benchmarks.measure.Repeatable;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.Group;
import org.tributary.client.window.EpochDesign;
import org.tributary.client.window.FenceDesign;
import org.tributary.client.window.Window;
import org.tributary.client.window.WindowOptions;
import org.tributary.wire.codec.LockMode;

/** A window for each design of lock-unlock, all over the same memory from an offset on. */
final class LockWindows implements AutoCloseable {
    private final List<Window> windows;

    /** Over this member's part of the memory, from {@code offset} to its end; collective over the group. */
    LockWindows(Gas gas, Group group, GlobalMemory memory, long offset) {
        windows = Arrays.stream(EpochDesign.values()).map(design -> Window.create(gas, group, memory, offset,
            memory.bytes(gas.rank()) - offset, 1,
            new WindowOptions(FenceDesign.IMMEDIATE_OPT, EpochDesign.IMMEDIATE, design, false))).toList();
    }

    /** The designs, in the order of {@link #all}. */
    static List<EpochDesign> designs() {
        return List.of(EpochDesign.values());
    }

    List<Window> all() {
        return windows;
    }

    /** Lock, put, unlock. */
    static Repeatable locked(Window window, LockMode mode, int target, MemorySegment source) {
        return () -> {
            window.lock(mode, target);
            window.put(target, 0, source);
            window.unlock(target);
        };
    }

    /** Collective. */
    @Override
    public void close() {
        windows.forEach(Window::close);
    }
}

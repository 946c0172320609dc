package org.tributary.client.window;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;
import org.tributary.client.Gas;
import org.tributary.client.GlobalMemory;
import org.tributary.client.Group;
import org.tributary.client.error.FirstFailure;
import org.tributary.client.error.GasException;
import org.tributary.client.error.JobAbortedException;

/**
 * How a window is made of several pieces of memory, one after the other. Members fail alike; of a window that cannot be
 * completed nothing is left, and the program may try again with less.
 */
final class Making<W> {
    private final Gas gas;
    private final Group group;
    private final WindowOptions options;
    private final Last<W> last;
    private final Deque<Runnable> closes = new ArrayDeque<>();

    /** What is made last, with memory that it closes by itself when it fails. */
    interface Last<W> {
        W make(WindowTransport transport, Regions regions);
    }

    Making(Gas gas, Group group, WindowOptions options, Last<W> last) {
        this.gas = gas;
        this.group = group;
        this.options = options;
        this.last = last;
    }

    /** A window of a range of the own part of some memory, which is closed with it if it is {@code owned}. */
    W over(GlobalMemory memory, boolean owned, long offset, long bytes, int displacementUnit) {
        if (owned) {
            closes.push(memory::close);
        }
        return complete(() -> {
            WindowTransport transport = transport("of segment " + Long.toHexString(memory.id()));
            Regions regions = new FixedRegions(transport.name(), group, memory, owned, offset, bytes, displacementUnit);
            return last.make(transport, regions);
        });
    }

    /** A window without memory. */
    W dynamic() {
        return complete(() -> {
            WindowTransport transport = transport("without memory");
            Regions regions = new DynamicRegions(transport.name(), gas, group, transport);
            closes.push(regions::close);
            return last.make(transport, regions);
        });
    }

    private WindowTransport transport(String what) {
        WindowTransport transport = WindowTransport.create(gas, group, what + options.describe());
        closes.push(transport::close);
        return transport;
    }

    private W complete(Supplier<W> rest) {
        try {
            return rest.get();
        } catch (JobAbortedException e) {
            throw e;
        } catch (GasException | IllegalArgumentException e) {
            FirstFailure failures = new FirstFailure();
            failures.note(e);
            closes.forEach(failures::attempt);
            failures.rethrow();
            throw e;
        }
    }
}

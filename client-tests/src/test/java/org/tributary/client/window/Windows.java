package org.tributary.client.window;

import org.tributary.client.Gas;
import org.tributary.client.Group;

/** Windows of tests. */
final class Windows {
    /** What is done with a window. */
    interface Use {
        void run(Window window) throws Exception;
    }

    private Windows() {
    }

    /** A few kilobytes are enough for locks and exposures to go over to issuing, for fences to choose differently. */
    static CostModel eager(Group group) {
        return new CostModel(1_000, 1, 1_000, 100, 1, group.size());
    }

    /** A window that measures nothing of its own: in a short job, the measurement would take most of the time. */
    static Window allocate(Gas gas, Group group, long bytes, int unit, WindowOptions options) {
        return Window.allocate(gas, group, bytes, unit, options, new TestInputs(eager(group), null));
    }

    /** Uses a window and closes it. */
    static void use(Window window, Use use) throws Exception {
        try (window) {
            use.run(window);
        }
    }
}

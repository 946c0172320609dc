package org.tributary.client.window;

/** Windows of tests. */
final class Windows {
    /** What is done with a window. */
    interface Use {
        void run(Window window) throws Exception;
    }

    private Windows() {
    }

    /**
     * Uses a window and closes it, unless something is thrown: closing waits for the other members, who may be waiting
     * for this one elsewhere, and the failure would be told only after the deadline.
     */
    static void use(Window window, Use use) throws Exception {
        use.run(window);
        window.close();
    }
}

package org.tributary.launcher.job;

/**
 * Ends a process of a job when one of its threads dies of something that nobody has caught: it may have been the one on
 * which the others rely, and a process that stays without it hangs. What the process leaves, others end and remove.
 */
public final class LastResort {
    private static final long PATIENCE_MS = 1000;

    private LastResort() {
    }

    /**
     * For all threads of this process that have no other handler.
     *
     * @param name of the process, in the message
     */
    public static void install(String name) {
        Thread.setDefaultUncaughtExceptionHandler((thread, error) -> {
            try {
                say(name + ": " + thread.getName() + " died of " + error);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                Runtime.getRuntime().halt(ExitCodes.FAILURE);
            }
        });
    }

    /** The reader of standard error may have stopped, as a pager does. */
    private static void say(String what) throws InterruptedException {
        Thread writer = Thread.ofPlatform().daemon().unstarted(() -> System.err.println(what));
        try {
            writer.start();
        } catch (OutOfMemoryError e) {
            System.err.println(what);
        }
        writer.join(PATIENCE_MS);
    }
}

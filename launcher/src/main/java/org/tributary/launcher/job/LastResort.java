package org.tributary.launcher.job;

/**
 * Ends a process of a job when one of its threads dies of something that nobody has caught: it may have been the one on
 * which the others rely, and a process that stays without it hangs. What the process leaves, others end and remove.
 */
public final class LastResort {
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
                System.err.println(name + ": " + thread.getName() + " died of " + error);
            } finally {
                Runtime.getRuntime().halt(ExitCodes.FAILURE);
            }
        });
    }
}

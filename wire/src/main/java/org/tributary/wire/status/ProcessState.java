package org.tributary.wire.status;

/** How a process is, as the kernel has it. */
public enum ProcessState {
    /** Runs, or would if it had something to do. */
    RUNS("runs"),
    /** Was stopped, by SIGSTOP. */
    STOPPED("was stopped (SIGSTOP)"),
    /** Has ended: its lock is free. */
    GONE("has ended"),
    /** Lives, in a container that numbers processes otherwise perhaps: nothing else is known here. */
    LIVES("lives"),
    /** Has not begun to take part. */
    NONE("is not there yet"),
    /** A debugger has stopped it, perhaps for a moment, as one that takes stacks for a report. */
    DEBUGGED("is in a debugger");

    private final String words;

    ProcessState(String words) {
        this.words = words;
    }

    /** The predicate of a sentence about the process. */
    public String words() {
        return words;
    }

    /** Whether what others wait for can come from it. */
    public boolean isActive() {
        return this == RUNS || this == LIVES || this == DEBUGGED;
    }
}

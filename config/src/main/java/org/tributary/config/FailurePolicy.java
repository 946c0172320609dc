package org.tributary.config;

/** Ways in which a surviving rank reacts when another part of its job has failed ({@code job.on-failure}). */
public enum FailurePolicy {
    /** Prints one message and ends the process, also when its threads are computing. */
    EXIT,
    /** Throws from the operation in progress or the next one, and leaves the process to its program. */
    THROW
}

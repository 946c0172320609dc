package org.tributary.config;

/** Whether something is allowed. */
public enum Permission {
    /** Not allowed. */
    NO,
    /** Allowed. */
    YES
}

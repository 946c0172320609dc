package org.tributary.config;

/** Whether something is allowed. */
public enum Permission {
    NO,
    YES
}

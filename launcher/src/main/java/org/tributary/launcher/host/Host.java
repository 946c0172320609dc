package org.tributary.launcher.host;

/**
 * A host that a job may use.
 *
 * @param name  as the user has given it, perhaps {@code user@name}
 * @param slots how many ranks it may have, or 0 when nobody has said
 */
public record Host(String name, int slots) {
    /** {@code me@a} without {@code me@}. */
    static String withoutUser(String name) {
        return name.substring(name.indexOf('@') + 1);
    }
}

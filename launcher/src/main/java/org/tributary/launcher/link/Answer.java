package org.tributary.launcher.link;

/**
 * Answer of the agent of a host to a {@link Command.Inquire}.
 *
 * @param number  of the inquiry
 * @param isKnown whether {@code text} is the answer, and not why there is none
 */
public record Answer(int number, boolean isKnown, String text) {
}

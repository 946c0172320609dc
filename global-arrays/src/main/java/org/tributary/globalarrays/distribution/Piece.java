package org.tributary.globalarrays.distribution;

/**
 * The part of a patch that one owner holds.
 *
 * @param owner the owner of the elements; in results of an array its world rank, in those of a {@link Distribution} its
 *              number there
 * @param patch the elements, never none
 */
public record Piece(int owner, Patch patch) {
}

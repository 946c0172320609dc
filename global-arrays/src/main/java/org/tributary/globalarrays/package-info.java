/**
 * Distributed dense arrays of one to seven dimensions, in the vocabulary of the Global Arrays toolkit: every rank may
 * read, write and add to any section of an array without its owners taking part, and each rank works on its own block
 * as plain memory.
 *
 * <p>{@link org.tributary.globalarrays.GlobalArray} is where to begin; two-dimensional algebra is in {@link
 * org.tributary.globalarrays.Matrices}, elements as numbers of Java's own types in {@link
 * org.tributary.globalarrays.DoubleView} and its like, and files in {@link org.tributary.globalarrays.file}. Operations
 * that the documentation calls collective must be called by all ranks of the array's group in the same order, by one
 * thread each; all others are one-sided and thread-safe. Two one-sided operations on the same elements need a {@code
 * barrier()} or the program's own synchronization between them, except accumulates among themselves and {@code
 * readIncrement}s among themselves, which are atomic for each element.
 */
package org.tributary.globalarrays;

/**
 * The suite behind {@code tributary bench one-sided}. Every rank derives the same plan from the same command line and
 * works through it in step; only rank 0 issues operations, from its main thread, while the target blocks in a barrier
 * or computes.
 */
package org.tributary.benchmarks.onesided;

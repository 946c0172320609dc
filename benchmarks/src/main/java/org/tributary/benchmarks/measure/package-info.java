/**
 * Timing, statistics and their output, shared by all benchmarks. Nothing here is thread-safe: a measurement belongs to
 * the one thread that takes it.
 */
package org.tributary.benchmarks.measure;
